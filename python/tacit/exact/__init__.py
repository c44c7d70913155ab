"""Exact solutions that runs are compared with: the Riemann problem and the Sedov-Taylor blast wave.

SPDX-License-Identifier: Apache-2.0
"""
