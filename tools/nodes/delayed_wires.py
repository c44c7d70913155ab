#!/usr/bin/env python3
# Joins emulated nodes by wires on which everything takes a while.
# SPDX-License-Identifier: Apache-2.0
"""Usage: delayed_wires.py MICROSECONDS SWITCH NODE...: processes that keep the networks; nodes.py starts it.

Makes in each node's network an interface e0, and in that of the switch one named login, and hands on what leaves any of
them a while later to where it is addressed. Says "ready" when they are there; they vanish when this ends. The kernel's
own module for that, netem, is seldom there.
"""

import collections
import ctypes
import fcntl
import os
import select
import struct
import sys
import time

# linux/if_tun.h, sched.h, sys/prctl.h
TUNSETIFF = 0x400454CA
TUNSETOFFLOAD = 0x400454D0
IFF_TAP, IFF_NO_PI, IFF_VNET_HDR = 0x0002, 0x1000, 0x4000
TUN_F_CSUM, TUN_F_TSO4 = 0x01, 0x02
CLONE_NEWNET = 0x40000000
PR_SET_TIMERSLACK = 29

HEADER = 10  # struct virtio_net_hdr, before each frame: long segments cross uncut, as between the kernel's interfaces
LONGEST = HEADER + 14 + 65536
GROUP_BIT = 1  # of the first byte of an address: for all


def setns(process: int) -> None:
    """Enters the network of a process."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/proc/{process}/ns/net", "rb") as network:
        if libc.setns(network.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns failed")


def open_interface(process: int, name: str) -> int:
    """Makes an interface in the network of a process; what leaves it is read from the file that is returned."""
    setns(process)
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI | IFF_VNET_HDR))
    fcntl.ioctl(file, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4)
    return file


def be_punctual() -> None:
    """Whoever waits for this one waits too long otherwise: it runs before others as soon as a frame is due."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass


def write(file: int, frame: bytes) -> None:
    """A frame for which there is no room, or no interface that is up, is lost, as on any wire."""
    try:
        os.write(file, frame)
    except OSError:
        pass


def hand_on(delay_s: float, login: int, nodes: list[int]) -> None:
    """Never returns. Addresses of nodes end in their number plus 1; any other address is the login node's."""
    files = [*nodes, login]
    under_way: collections.deque[tuple[float, int, bytes]] = collections.deque()  # all take equally long: in order
    poll = select.epoll()
    for file in files:
        poll.register(file, select.EPOLLIN)
    while True:
        rest = max(under_way[0][0] - time.monotonic(), 0.0) if under_way else None
        # An epoll waits for whole milliseconds; a select can wait for less.
        ready = select.select([poll.fileno()], [], [], rest)[0]
        for file, _ in poll.poll(0) if ready else ():
            try:
                frame = os.read(file, LONGEST)
            except BlockingIOError:
                continue
            due = time.monotonic() + delay_s
            to = frame[HEADER:HEADER + 6]
            if to[0] & GROUP_BIT:
                under_way.extend((due, other, frame) for other in files if other != file)
            else:
                node = to[5] - 1
                under_way.append((due, nodes[node] if node < len(nodes) else login, frame))
        while under_way and under_way[0][0] <= time.monotonic():
            _, to_file, frame = under_way.popleft()
            write(to_file, frame)


def main() -> None:
    microseconds, switch, *keepers = map(int, sys.argv[1:])
    nodes = [open_interface(keeper, "e0") for keeper in keepers]
    login = open_interface(switch, "login")
    be_punctual()
    print("ready", flush=True)
    hand_on(1e-6 * microseconds, login, nodes)


if __name__ == "__main__":
    main()
