# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A laboratory on one machine: hosts (network namespaces held by a process), veth links, the switch,
# and a clean-up that runs whatever happens. Sourced by demo, crash, barrier and bench. A script
# calls lab_open first; everything it starts or makes is noted in $LAB and undone at its end, even
# after kill -9, by a guardian in a session of its own.

# lab_private "$0" "$@": runs the script again in a network namespace of its own, so that nothing it
# names or listens on can meet the machine's.
lab_private() {
    if [ "${RAICHO_LAB_PRIVATE:-}" != 1 ]; then
        [ "$(id -u)" = 0 ] || { echo "error: namespaces and packet sockets take root" >&2; exit 1; }
        RAICHO_LAB_PRIVATE=1 exec unshare --net "$@"
    fi
    ip link set lo up
}

# lab_open: makes $LAB and arms the clean-up.
lab_open() {
    LAB=$(mktemp -d /tmp/raicho-lab.XXXXXX)
    : >"$LAB/pids"
    : >"$LAB/links"
    RUNDIR=$LAB/run
    trap 'lab_cleanup "$LAB"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    setsid bash -c '. "$0"; tail --pid="$1" -f /dev/null; lab_cleanup "$2"' \
        "${BASH_SOURCE[0]}" $$ "$LAB" </dev/null >/dev/null 2>&1 &
    disown
}

# lab_cleanup DIR: undoes everything noted there, newest first.
lab_cleanup() {
    local lab=$1 pid link pages n
    [ -d "$lab" ] || return 0
    trap '' INT TERM HUP
    while read -r pid; do kill -TERM "$pid" 2>/dev/null; done < <(tac "$lab/pids")
    while read -r pid; do
        for n in $(seq 70); do
            kill -0 "$pid" 2>/dev/null || break
            [ "$n" = 60 ] && kill -KILL "$pid" 2>/dev/null
            sleep 0.1
        done
    done <"$lab/pids"
    while read -r link; do ip link delete "$link" 2>/dev/null; done <"$lab/links"
    if mountpoint -q "$lab/run/huge" 2>/dev/null; then umount -l "$lab/run/huge"; fi
    if [ -f "$lab/hugepages" ]; then
        read -r pages <"$lab/hugepages"
        echo "$pages" >/proc/sys/vm/nr_hugepages 2>/dev/null
    fi
    rm -rf "$lab"
}

# lab_start COMMAND...: runs it in the background, dying with us; its pid in $STARTED.
lab_start() {
    setpriv --pdeathsig TERM "$@" &
    STARTED=$!
    echo "$STARTED" >>"$LAB/pids"
}

# lab_huge_pages N: raises the number of 2 MB pages to N where we may; noted for restoring.
lab_huge_pages() {
    local want=$1 now free
    read -r now </proc/sys/vm/nr_hugepages 2>/dev/null || return 0
    free=$(awk '/MemAvailable/ {print int($2 / 2048)}' /proc/meminfo)
    [ "$now" -lt "$want" ] && [ "$free" -gt $((want * 3)) ] || return 0
    [ -w /proc/sys/vm/nr_hugepages ] || return 0
    echo "$now" >"$LAB/hugepages"
    echo "$want" >/proc/sys/vm/nr_hugepages 2>/dev/null || true
}

# host NAME ADDRESS/LEN...: a namespace with one veth end eth0; the other end, NAME-br, stays here.
host() {
    local name=$1 address
    shift
    lab_start unshare --net sleep infinity
    eval "HOST_$name=$STARTED"
    local pid=$STARTED n
    for n in $(seq 100); do
        [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ] && break
        [ "$n" = 100 ] && { echo "error: no namespace for $name" >&2; return 1; }
        sleep 0.02
    done
    ip link add "$name-br" type veth peer name eth0 netns "$pid" || return 1
    echo "$name-br" >>"$LAB/links"
    ip link set "$name-br" up
    on "$name" ip link set lo up
    on "$name" ip link set eth0 up
    for address in "$@"; do
        case $address in
            *:*) on "$name" ip -6 address add "$address" dev eth0 nodad ;;
            *) on "$name" ip address add "$address" dev eth0 ;;
        esac || return 1
    done
}

# host_pid NAME: the process that holds the host's namespace.
host_pid() {
    local pid="HOST_$1"
    echo "${!pid}"
}

# link NAME: a veth pair NAME -- NAME-br with both ends here, for raw frames.
link() {
    ip link add "$1" type veth peer name "$1-br" || return 1
    echo "$1" >>"$LAB/links"
    ip link set "$1" up
    ip link set "$1-br" up
}

# on HOST COMMAND...: runs it in the host's network namespace.
on() {
    local pid
    pid=$(host_pid "$1")
    shift
    nsenter --net="/proc/$pid/ns/net" "$@"
}

# lab_start_on HOST COMMAND...: lab_start inside the host.
lab_start_on() {
    local pid
    pid=$(host_pid "$1")
    shift
    lab_start nsenter --net="/proc/$pid/ns/net" "$@"
}

# wait_until SECONDS COMMAND...: polls every 50 ms; fails when the time is over.
wait_until() {
    local n=$(($1 * 20))
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $((n -= 1)) -gt 0 ] || return 1
        sleep 0.05
    done
}

# free_port FIRST: the first TCP port from FIRST on that nobody listens on.
free_port() {
    local port=$1
    while ss -Hltn "sport = :$port" | grep -q .; do port=$((port + 1)); done
    echo "$port"
}

# switch_start CONF: starts the switch of $BIN with run directory $RUNDIR and waits for its shell.
switch_start() {
    lab_start "$BIN/raicho" run -C "$1" --rundir "$RUNDIR" >>"$LAB/switch.log" 2>&1
    SWITCH=$STARTED
    if ! wait_until 20 sh -c "kill -0 $SWITCH && exec '$BIN/lagosh' --rundir '$RUNDIR' -c 'show version'"; then
        echo "error: the switch did not start:" >&2
        tail -n 20 "$LAB/switch.log" >&2
        return 1
    fi
}

# ports_up N: N ports of the switch are up.
ports_up() { [ "$(shell -c "show port" | grep -c ' up$')" -eq "$1" ]; }

shell() { "$BIN/lagosh" --rundir "$RUNDIR" "$@"; }

# ovs_start [OTHER_CONFIG...]: Debian's Open vSwitch (userspace datapath) in a run directory of its
# own; `ovs CMD` is ovs-vsctl on it. Only inside lab_private: its interfaces have fixed names.
ovs_start() {
    OVS_DIR=$LAB/ovs
    mkdir -p "$OVS_DIR"
    export OVS_RUNDIR=$OVS_DIR OVS_LOGDIR=$OVS_DIR OVS_DBDIR=$OVS_DIR
    ovsdb-tool create "$OVS_DIR/conf.db" /usr/share/openvswitch/vswitch.ovsschema || return 1
    lab_start ovsdb-server "$OVS_DIR/conf.db" --remote="punix:$OVS_DIR/db.sock" \
        --unixctl="$OVS_DIR/ovsdb.ctl" >"$OVS_DIR/ovsdb.log" 2>&1
    wait_until 5 test -S "$OVS_DIR/db.sock" || return 1
    ovs --no-wait init || return 1
    local setting
    for setting in "$@"; do ovs --no-wait set Open_vSwitch . "other_config:$setting" || return 1; done
    lab_start ovs-vswitchd "unix:$OVS_DIR/db.sock" --disable-system --unixctl="$OVS_DIR/vswitchd.ctl" \
        --log-file="$OVS_DIR/vswitchd.log" >"$OVS_DIR/vswitchd.out" 2>&1
    OVS=$STARTED
    wait_until 20 ovs -t 2 get Open_vSwitch . ovs_version
    ovs -t 10 add-br br0 -- set bridge br0 datapath_type=netdev fail-mode=secure protocols=OpenFlow13
}
ovs() { ovs-vsctl --db="unix:$OVS_DIR/db.sock" "$@"; }
