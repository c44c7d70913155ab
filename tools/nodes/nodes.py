#!/usr/bin/env python3
# Emulates several nodes on one machine and runs a program on them, by Open MPI's mpirun or by its own means.
# SPDX-License-Identifier: Apache-2.0
"""Emulates several nodes on one machine, for tests of what happens between nodes. Needs root.

A node is a process that keeps its own network, host name, IPC, mounts (with a /dev/shm of its own) and process ids, and
has one interface, e0, to a bridge that lives in a network of its own. So processes of different nodes find no shared
memory, and the counters of e0 say what went over the wire. Nothing has a name outside: several sets run side by side,
and all of a set is gone when this program ends, however it ends.

With --ranks, mpirun starts the program with so many ranks on each node, without ssh. Without, the program runs outside
the nodes, with the processes that keep them in TACIT_NODES (see `enter.sh` beside this file).

Exit code: that of the program; 77 if nodes cannot be emulated here, with the reason on stderr.
"""

import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType, TracebackType
from typing import NoReturn, Optional

SKIPPED = 77  # what ctest takes for a test that was skipped
NETWORK = "10.77.7"
LOGIN = f"{NETWORK}.254"  # where mpirun runs: a login node, which holds no rank
MTU = 1500
TOOLS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux"}
PR_SET_PDEATHSIG = 1


class CannotEmulate(Exception):
    """This user, or this machine, cannot have such nodes."""


def die_with_parent() -> None:
    """Makes the kernel end this child together with us, even if we are killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def address(node: int) -> str:
    return f"{NETWORK}.{node + 1}"


def hardware_address(node: int) -> str:
    return f"02:00:00:00:00:{node + 1:02x}"


def require_means() -> None:
    """Throws CannotEmulate unless this is root, with the tools and rights that it takes."""
    if os.geteuid() != 0:
        raise CannotEmulate("only root can make network namespaces")
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            raise CannotEmulate(f"there is no '{tool}' (Debian's package {package})")
    probe = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "true"], capture_output=True, text=True)
    if probe.returncode != 0:
        raise CannotEmulate(f"the system allows no namespaces: {probe.stderr.strip()}")


class Nodes:
    """The nodes, for as long as a `with` block runs.

    @param count   nodes, 1 to 100
    @param rate    what each wire carries per second in either direction, in words of tc ("1gbit"); None: no limit
    @param prefix  host names begin with it, and go on with the node's number
    @param delay   that is added on the way from a node to another [us]; then the rate is that of what leaves a node
    """

    def __init__(self, count: int, rate: Optional[str], prefix: str, delay: int = 0) -> None:
        self.count = count
        self._rate = rate
        self._prefix = prefix
        self._delay = delay
        self._keepers: list[subprocess.Popen[str]] = []
        self._switch: Optional[subprocess.Popen[str]] = None
        self._wires: Optional[subprocess.Popen[str]] = None

    def __enter__(self) -> "Nodes":
        try:
            self._switch = self._keep(["--net"], "ip link set lo up")
            for node in range(self.count):
                self._add(node)
            if self._delay > 0:
                self._join_slowly()
            else:
                self._join()
            for node in range(self.count):
                self._set_up_network(node)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: Optional[type], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._end()

    @property
    def keepers(self) -> str:
        """What TACIT_NODES holds."""
        return " ".join(str(keeper.pid) for keeper in self._keepers)

    def command_in_switch(self, command: list[str]) -> list[str]:
        """The command as one that runs in the bridge's network."""
        assert self._switch is not None
        return ["nsenter", f"--net=/proc/{self._switch.pid}/ns/net", "--", *command]

    def _keep(self, namespaces: list[str], setup: str) -> "subprocess.Popen[str]":
        """Starts a process that keeps namespaces, and waits until `setup` is done in them."""
        script = f"set -e; {setup}; echo ready; exec sleep infinity"
        keeper = subprocess.Popen(["unshare", *namespaces, "--fork", "--kill-child=KILL", "bash", "-c", script],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True,
                                  preexec_fn=die_with_parent)
        assert keeper.stdout is not None
        if keeper.stdout.readline() != "ready\n":
            keeper.kill()
            keeper.wait()
            raise CannotEmulate(f"namespaces cannot be set up: {setup}")
        return keeper

    def _add(self, node: int) -> None:
        setup = f"hostname {self._prefix}{node}; mount -t tmpfs tmpfs /dev/shm; ip link set lo up"
        # Private mounts, so that nothing of this is seen outside.
        self._keepers.append(self._keep(["--net", "--uts", "--ipc", "--mount", "--pid", "--mount-proc"], setup))

    def _join(self) -> None:
        """Makes the interfaces, and the bridge that joins them."""
        self._in_switch(["ip", "link", "add", "br0", "type", "bridge"])
        for node, keeper in enumerate(self._keepers):
            port = f"p{node}"
            self._in_switch(["ip", "link", "add", port, "mtu", str(MTU), "type", "veth", "peer", "name", "e0", "mtu",
                             str(MTU), "netns", str(keeper.pid)])
            outside = [f"ip link set {port} addrgenmode none", f"ip link set {port} master br0",
                       f"ip link set {port} up", *self._shaped(port)]
            self._in_switch(["bash", "-ec", "; ".join(outside)])
        self._in_switch(["ip", "addr", "add", f"{LOGIN}/24", "dev", "br0"])
        self._in_switch(["ip", "link", "set", "br0", "up"])

    def _join_slowly(self) -> None:
        """Makes interfaces that a program joins, which hands on late what leaves them."""
        assert self._switch is not None
        program = Path(__file__).resolve().parent / "delayed_wires.py"
        processes = [str(keeper.pid) for keeper in (self._switch, *self._keepers)]
        self._wires = subprocess.Popen([sys.executable, str(program), str(self._delay), *processes],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True, preexec_fn=die_with_parent)
        assert self._wires.stdout is not None and self._wires.stderr is not None
        if self._wires.stdout.readline() != "ready\n":
            last = self._wires.stderr.read().strip().splitlines()[-1:]
            raise CannotEmulate(f"wires cannot be delayed: {' '.join(last)}")
        setup = [f"ip link set login address {hardware_address(253)}", "ip link set login addrgenmode none",
                 f"ip addr add {LOGIN}/24 dev login", "ip link set login up"]
        self._in_switch(["bash", "-ec", "; ".join(setup)])

    def _shaped(self, interface: str) -> list[str]:
        """Limits what leaves an interface."""
        if self._rate is None:
            return []
        return [f"tc qdisc add dev {interface} root tbf rate {self._rate} burst 80kb latency 50ms"]

    def _set_up_network(self, node: int) -> None:
        """In a node."""
        inside = [f"ip link set e0 address {hardware_address(node)}", "ip link set e0 addrgenmode none",
                  f"ip addr add {address(node)}/24 dev e0", "ip link set e0 up",
                  # Linux's own choice, whatever this machine has been told.
                  f"ip route replace {NETWORK}.0/24 dev e0 src {address(node)} congctl cubic"]
        # No question who has which address is ever asked on the wire: its counters count messages only.
        inside += [f"ip neigh add {address(other)} lladdr {hardware_address(other)} dev e0 nud permanent"
                   for other in range(self.count) if other != node]
        inside += self._shaped("e0")
        network = f"--net=/proc/{self._keepers[node].pid}/ns/net"
        run_or_raise(["nsenter", network, "--", "bash", "-ec", "; ".join(inside)])

    def _in_switch(self, command: list[str]) -> None:
        run_or_raise(self.command_in_switch(command))

    def _end(self) -> None:
        """Ends all that runs on the nodes; their namespaces and the wires go with the processes."""
        keepers = self._keepers + [one for one in (self._switch, self._wires) if one is not None]
        for keeper in keepers:
            keeper.kill()
        for keeper in keepers:
            keeper.wait()


def run_or_raise(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotEmulate(f"'{' '.join(command)}' failed: {done.stderr.strip()}")


def mpirun(nodes: Nodes, ranks: int, arguments: list[str], program: list[str]) -> list[str]:
    """The command that starts `ranks` ranks of the program on each node; they yield when they wait."""
    hosts = ",".join(f"{address(node)}:{ranks}" for node in range(nodes.count))
    network = f"{NETWORK}.0/24"
    settings = {"plm_rsh_agent": str(Path(__file__).resolve().parent / "enter.sh"), "plm_rsh_no_tree_spawn": "1",
                "oob_tcp_if_include": network, "btl_tcp_if_include": network, "pml": "ob1", "btl": "tcp,vader,self",
                "mpi_yield_when_idle": "1", "orte_tmpdir_base": "/dev/shm"}
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "--map-by", f"ppr:{ranks}:node", "--host", hosts]
    for name, value in settings.items():
        command += ["--mca", name, value]
    return nodes.command_in_switch([*command, *arguments, *program])


def run(nodes: Nodes, arguments: argparse.Namespace) -> int:
    command = arguments.program
    if arguments.ranks > 0:
        if shutil.which("mpirun") is None:
            raise CannotEmulate("there is no 'mpirun' (Debian's package openmpi-bin)")
        command = mpirun(nodes, arguments.ranks, arguments.mpirun, command)
    environment = {**os.environ, "TACIT_NODES": nodes.keepers, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with subprocess.Popen(command, env=environment, preexec_fn=die_with_parent) as process:
        try:
            return process.wait()
        except BaseException:
            process.kill()
            raise


def end(number: int, _: Optional[FrameType]) -> NoReturn:
    sys.exit(128 + number)


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2, help="how many (default 2)")
    parser.add_argument("--ranks", type=int, default=0, help="on each node; 0: the program starts them itself")
    parser.add_argument("--rate", help="of each wire in either direction, such as 1gbit (default: no limit)")
    parser.add_argument("--delay", type=int, default=0, metavar="US",
                        help="microseconds that everything takes longer from a node to another (default 0)")
    parser.add_argument("--prefix", default="node", help="of host names (default 'node')")
    parser.add_argument("--mpirun", action="append", default=[], metavar="WORD", help="a further word for mpirun")
    parser.add_argument("program", nargs="+", help="and its arguments, after --")
    return parser.parse_args(words)


def main() -> int:
    arguments = parse(sys.argv[1:])
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    try:
        require_means()
        with Nodes(arguments.nodes, arguments.rate, arguments.prefix, arguments.delay) as nodes:
            return run(nodes, arguments)
    except CannotEmulate as error:
        print(f"SKIPPED: nodes cannot be emulated here: {error}", file=sys.stderr)
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
