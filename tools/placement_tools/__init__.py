# SPDX-License-Identifier: Apache-2.0
"""Commands that say where tasks should run: tactus simulate, tactus calibrate, tactus labels."""
