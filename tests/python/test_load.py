"""Files of runs as Python reads them: lazily, and compared with their checksums.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import tacit
from program import datasets, run

BLAST = {"solver": "sph", "initial.setup": "sedov", "sedov.resolution": 6, "time.end": 0.004,
         "output.snapshot_every": 0.002, "run.name": "bang"}


@pytest.fixture(scope="module")
def blast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run."""
    return run(tmp_path_factory.mktemp("blast"), BLAST)


def test_everything_in_a_snapshot_by_name(blast: Path) -> None:
    results = tacit.load(blast)
    assert isinstance(results, tacit.Results) and len(results.snapshots) == 3
    with tacit.load(results.snapshots[-1]) as file:
        expected = datasets(results.snapshots[-1])
        assert set(file) == set(expected) and len(file) == len(expected) and file.is_verified
        for name, values in expected.items():
            assert file[name].tobytes() == values.tobytes()
        assert np.array_equal(file["Densities"], expected["PartType0/Densities"])
        assert isinstance(file.dataset("Densities"), h5py.Dataset) and file.dataset("Densities")[3:5].shape == (2,)
        assert file.time == 0.004 and file.header["RunName"].strip() == "bang"
        assert file.parameters["sedov"]["resolution"] == 6
        assert isinstance(file.attributes("PartType0/Densities")["Description"], str)
        with pytest.raises(KeyError, match="there is no array 'Density'; there are .*PartType0/Densities"):
            file["Density"]
    statistics = tacit.load(blast / "statistics.csv")
    assert statistics["time"][-1] == 0.004 == results.statistics["time"][-1]


def test_a_changed_byte_is_found(blast: Path, tmp_path: Path) -> None:
    snapshot = tacit.load(blast).snapshots[-1]
    with h5py.File(snapshot) as file:
        places = [file[f"PartType0/{name}"].id.get_chunk_info(0).byte_offset + 5 for name in ("Densities", "Masses")]
    whole = snapshot.read_bytes()
    copy = tmp_path / "copy.hdf5"
    for place in places:
        copy.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
        with pytest.raises(tacit.FormatError, match="copy.hdf5: .*not what was written"):
            tacit.load(copy)
        with tacit.load(copy, verify=False) as file:
            assert not file.is_verified
    copy.write_bytes(whole[:-100])
    with pytest.raises(tacit.FormatError, match="copy.hdf5: "):
        tacit.load(copy)
    copy.write_bytes(whole)
    assert tacit.load(copy).is_verified


def test_files_of_others_and_nothing(tmp_path: Path) -> None:
    other = tmp_path / "other.hdf5"
    with h5py.File(other, "w") as file:
        file["a/x"] = file["b/x"] = 1.0
    with tacit.load(other) as file:
        assert not file.is_verified and file["a/x"] == 1.0 and file.header == {} and file.time is None
        with pytest.raises(KeyError, match="several arrays are called 'x'; there are a/x, b/x"):
            file["x"]
    (tmp_path / "text.hdf5").write_text("no HDF5")
    with pytest.raises(tacit.FormatError, match="text.hdf5"):
        tacit.load(tmp_path / "text.hdf5")
    with pytest.raises(tacit.InputError, match="is not the directory of a run"):
        tacit.load(tmp_path)
    with pytest.raises(tacit.InputError, match="no such file"):
        tacit.load(tmp_path / "nothing")
