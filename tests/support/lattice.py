"""The Wilson Dirac operator on numpy arrays, and gauge fields in NERSC's format: what tests compare qcd with.

SPDX-License-Identifier: Apache-2.0

Shapes: spinors (t, z, y, x, spin, colour); links (t, z, y, x, mu, row, column), mu = x, y, z, t, as in files.
"""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.complex128]

AXIS = (3, 2, 1, 0)
"""Of arrays, for x, y, z, t."""
_PAULI = (np.array([[1, 0], [0, -1]]), np.array([[0, -1j], [1j, 0]]), np.array([[0, 1], [1, 0]]))
"""s_3, s_2, s_1."""
_ZERO = np.zeros((2, 2))
GAMMA = [*(np.block([[_ZERO, -1j * s], [1j * s, _ZERO]]) for s in _PAULI),
         np.block([[_ZERO, -np.eye(2)], [-np.eye(2), _ZERO]])]
"""gamma_x, gamma_y, gamma_z, gamma_t."""
GAMMA5 = np.diag([-1.0, -1.0, 1.0, 1.0])


def conjugate(u: Array) -> Array:
    """U^+ of each matrix."""
    return np.conj(np.swapaxes(u, -1, -2))


def ahead(field: Array, mu: int) -> Array:
    """f(x + mu) at x."""
    return np.roll(field, -1, axis=AXIS[mu])


def behind(field: Array, mu: int) -> Array:
    """f(x - mu) at x."""
    return np.roll(field, 1, axis=AXIS[mu])


def with_boundary(links: Array, *, antiperiodic: bool = True) -> Array:
    """Links along t that lead over its end have the other sign."""
    result = links.copy()
    if antiperiodic:
        result[-1, :, :, :, 3] *= -1.0
    return result


def leaves(links: Array, mu: int, nu: int) -> Array:
    """The sum of the four plaquettes of a plane that begin and end at each site.

    Each plaquette stands at its lowest corner; a leaf that begins at another one is the same loop, carried by links.
    """
    u, v = links[..., mu, :, :], links[..., nu, :, :]
    loop = u @ ahead(v, mu) @ conjugate(ahead(u, nu)) @ conjugate(v)
    # Carried by a link to the next corner, against the sense of turning, and seen from there.
    at_mu = behind(conjugate(u) @ loop @ u, mu)
    at_nu = behind(conjugate(v) @ loop @ v, nu)
    opposite = conjugate(ahead(v, mu)) @ conjugate(u) @ loop @ u @ ahead(v, mu)
    return loop + at_mu + at_nu + behind(behind(opposite, mu), nu)


def clover(links: Array, csw: float) -> Array:
    """-csw/16 sum_{mu < nu} gamma_mu gamma_nu (Q - Q^+), shape (t, z, y, x, spin, colour, spin, colour)."""
    result = np.zeros((*links.shape[:4], 4, 3, 4, 3), complex)
    for mu in range(4):
        for nu in range(mu + 1, 4):
            q = leaves(links, mu, nu)
            result -= csw / 16.0 * np.einsum("sr,...ab->...sarb", GAMMA[mu] @ GAMMA[nu], q - conjugate(q))
    return result


class Dirac:
    """D for links that have the boundary's signs already."""

    def __init__(self, links: Array, mass: float, csw: float = 0.0) -> None:
        """The clover term is computed once."""
        self.links, self.mass = links, mass
        self.clover = clover(links, csw) if csw else None

    def __call__(self, psi: Array, sign: float = 1.0) -> Array:
        """D psi; with the sign -1 D^+ psi."""
        result = (4.0 + self.mass) * psi
        if self.clover is not None:
            result = result + np.einsum("...sarb,...rb->...sa", self.clover, psi)
        for mu in range(4):
            u = self.links[..., mu, :, :]
            forward = np.einsum("...ab,...sb->...sa", u, ahead(psi, mu))
            backward = behind(np.einsum("...ab,...sb->...sa", conjugate(u), psi), mu)
            turned = np.einsum("rs,...sa->...ra", GAMMA[mu], forward - backward)
            result -= 0.5 * (forward + backward - sign * turned)
        return result

    def solve(self, b: Array, tolerance: float = 1e-13) -> Array:
        """x with D x = b, by conjugate gradients on D^+ D x = D^+ b."""
        x = np.zeros_like(b)
        rest = b.copy()
        z = self(rest, -1.0)
        p, zz = z, np.vdot(z, z).real
        while np.linalg.norm(rest) > tolerance * np.linalg.norm(b):
            w = self(p)
            step = zz / np.vdot(w, w).real
            x = x + step * p
            rest = rest - step * w
            z = self(rest, -1.0)
            before, zz = zz, np.vdot(z, z).real
            p = z + (zz / before) * p
        return x


def point_source(shape: tuple[int, ...], column: int, at: tuple[int, ...] = (0, 0, 0, 0)) -> Array:
    """1 in spin and colour `column` at (x, y, z, t)."""
    b = np.zeros((*shape, 4, 3), complex)
    b[at[::-1]].reshape(12)[column] = 1.0
    return b


def pion(columns: list[Array]) -> NDArray[np.float64]:
    """sum_x |S|^2 for each t."""
    return np.sum([(np.abs(column) ** 2).sum(axis=(1, 2, 3, 4, 5)) for column in columns], axis=0)


def plaquette(links: Array) -> float:
    """The mean of Re tr U_p / 3."""
    total = 0.0
    for mu in range(4):
        for nu in range(mu):
            u, v = links[..., mu, :, :], links[..., nu, :, :]
            loop = u @ ahead(v, mu) @ conjugate(ahead(u, nu)) @ conjugate(v)
            total += np.trace(loop, axis1=-2, axis2=-1).real.mean() / 18.0
    return float(total)


def read_nersc(path: Path) -> Array:
    """The links of a file of three rows in double precision, big endian."""
    content = path.read_bytes()
    head, data = content.split(b"END_HEADER\n", 1)
    extents = [int(re.search(rb"DIMENSION_%d = (\d+)" % k, head)[1]) for k in (4, 3, 2, 1)]
    return np.frombuffer(data, ">c16").reshape(*extents, 4, 3, 3).astype(complex)


def write_nersc(path: Path, links: Array, numbers: str = "IEEE64BIG", rows: int = 3, **header: str) -> Path:
    """A file of these links; entries of the header may be replaced."""
    kind = {"IEEE32BIG": ">f4", "IEEE64BIG": ">f8", "IEEE32LITTLE": "<f4", "IEEE64LITTLE": "<f8"}[numbers]
    values = np.ascontiguousarray(links[..., :rows, :]).view(float).astype(kind)
    words = values.view(kind[0] + "u4").astype(np.uint64)
    extents = links.shape[3::-1]
    trace = np.trace(links, axis1=-2, axis2=-1).real.mean() / 3.0
    keys = {"HDR_VERSION": "1.0", "DATATYPE": "4D_SU3_GAUGE" + ("_3x3" if rows == 3 else ""), "STORAGE_FORMAT": "1.0",
            **{f"DIMENSION_{k + 1}": str(n) for k, n in enumerate(extents)}, "LINK_TRACE": f"{trace:.12f}",
            "PLAQUETTE": f"{plaquette(links):.12f}", "CHECKSUM": f"{int(words.sum()) & 0xffffffff:x}",
            "FLOATING_POINT": numbers} | header
    text = "BEGIN_HEADER\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) + "END_HEADER\n"
    path.write_bytes(text.encode() + values.tobytes())
    return path


LIME = 0x456789AB
"""With which each record begins."""


def read_lime(path: Path) -> list[tuple[str, bytes]]:
    """Types and data of the records."""
    content, at, records = path.read_bytes(), 0, []
    while at < len(content):
        magic, version, _, length, kind = struct.unpack_from(">IHHQ128s", content, at)
        assert magic == LIME and version == 1
        records.append((kind.rstrip(b"\0").decode(), content[at + 144:at + 144 + length]))
        at += 144 + (length + 7) // 8 * 8
    return records


def write_lime(path: Path, records: list[tuple[str, bytes]]) -> Path:
    """A message of these records."""
    parts = [struct.pack(">IHBBQ128s", LIME, 1, 0x80 * (k == 0) + 0x40 * (k == len(records) - 1), 0, len(data),
                         kind.encode()) + data + bytes(-len(data) % 8) for k, (kind, data) in enumerate(records)]
    path.write_bytes(b"".join(parts))
    return path


def ildg_records(links: Array, bits: int = 64) -> list[tuple[str, bytes]]:
    """Those of a file of these links."""
    t, z, y, x = links.shape[:4]
    data = links.astype(">c16" if bits == 64 else ">c8").tobytes()
    size = len(data) // (t * z * y * x)
    a = b = 0
    for site in range(t * z * y * x):
        crc = zlib.crc32(data[site * size:(site + 1) * size])
        a ^= _rotated(crc, site % 29)
        b ^= _rotated(crc, site % 31)
    form = (f"<ildgFormat><version>1.0</version><field>su3gauge</field><precision>{bits}</precision>"
            f"<lx>{x}</lx><ly>{y}</ly><lz>{z}</lz><lt>{t}</lt></ildgFormat>")
    info = f"<usqcdInfo><plaq>{plaquette(links):.12f}</plaq></usqcdInfo>"
    check = f"<scidacChecksum><version>1.0</version><suma>{a:x}</suma><sumb>{b:x}</sumb></scidacChecksum>"
    return [("scidac-record-xml", info.encode()), ("ildg-format", form.encode()), ("ildg-binary-data", data),
            ("scidac-checksum", check.encode())]


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & 0xFFFFFFFF
