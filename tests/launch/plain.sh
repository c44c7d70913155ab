#!/usr/bin/env bash
# A job of Slurm that starts a program without a launcher.
# SPDX-License-Identifier: Apache-2.0
"$@"
