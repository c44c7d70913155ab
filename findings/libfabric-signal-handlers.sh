#!/usr/bin/env bash
# libfabric 1.17.0-3 of Debian 12 (bookworm, amd64): what dlopen does to the handlers of signals.
#
# Guessed: a library of communication that is loaded, and of which no function is called, changes nothing else.
# Seen: libpsm-infinipath, on which it depends, replaces the handlers of SIGINT, SIGILL, SIGABRT, SIGBUS, SIGSEGV and
# SIGTERM as it is loaded, on machines without such a network, too. A program that had asked for SIGTERM, to end with a
# checkpoint, no longer hears of it.
# What we do: handlers are kept while libfabric is loaded and started.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
if ! grep -q bookworm /etc/os-release || [[ $(dpkg --print-architecture) != amd64 ]]; then
  echo "needs Debian 12 on amd64" >&2
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download libfabric1=1.17.0-3 \
  libpsm-infinipath1 libpsm2-2 libibverbs1 librdmacm1 ibverbs-providers libnuma1 libnl-3-200 libnl-route-3-200
for package in *.deb; do dpkg-deb -x "$package" root; done
cat >load.py <<'PY'
import ctypes
import signal

names = ("SIGHUP", "SIGINT", "SIGILL", "SIGABRT", "SIGBUS", "SIGSEGV", "SIGTERM", "SIGUSR1")
libc = ctypes.CDLL(None)
libc.signal.restype = ctypes.c_void_p
libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
own = ctypes.cast(ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda number: None), ctypes.c_void_p).value
for name in names:
    libc.signal(getattr(signal, name), own)
ctypes.CDLL("libfabric.so.1")
print("replaced:", *(name for name in names if libc.signal(getattr(signal, name), own) != own))
PY
libraries=$PWD/root/usr/lib/x86_64-linux-gnu:$PWD/root/lib/x86_64-linux-gnu
LD_LIBRARY_PATH=$libraries python3 load.py | tee seen
diff - seen <<'SEEN'
replaced: SIGINT SIGILL SIGABRT SIGBUS SIGSEGV SIGTERM
SEEN
echo "as described"
