#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# testpmd_tx.sh IN OUT: asks a testpmd that reads from the fifo IN for port 1's counters and prints
# its TX-packets from the output file OUT.
set -u
before=$(grep -c 'NIC statistics for port 1' "$2")
echo "show port stats 1" >"$1"
for _ in $(seq 200); do
    [ "$(grep -c 'NIC statistics for port 1' "$2")" -gt "$before" ] && break
    sleep 0.005
done
sleep 0.01
grep 'TX-packets' "$2" | tail -n 1
