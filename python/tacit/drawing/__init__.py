"""Figures of snapshots and runs.

SPDX-License-Identifier: Apache-2.0
"""
