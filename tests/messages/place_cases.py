"""The mistakes of `tacit place` for test_golden.py.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cases import MACHINE, Case

TORUS = """\
name = "small"
[torus]
routers = [4, 2, 2]
bandwidth = ["2 GB/s", "1 GB/s", "2 GB/s"]
nodes_per_router = 2
[nodes]
names = "n[01-32]"
bandwidth = "1 GB/s"
"""
GRAPH = """\
[graph]
routers = "a[0-1]"
links = [{a = "a0", b = "a1", bandwidth = 1e9}]
nodes = [{router = "a0", names = "n[0-31]"}, {router = "a1", names = "n[0-31]"}]
[nodes]
bandwidth = 1e9
"""
JOB = ("--ranks", "32", "--ranks-per-node", "4")


def files(**texts: str) -> Callable[[Path], None]:
    """Writes NAME.toml and the like: the last '_' of a name stands for the dot."""

    def prepare(folder: Path) -> None:
        for name, text in texts.items():
            (folder / ".".join(name.rsplit("_", 1))).write_text(text)

    return prepare


def machine(name: str, text: str, *more: str) -> Case:
    """A machine file with a mistake in it."""
    return Case(f"place_{name}", files(m_toml=text), ("place", "m.toml", *JOB, *more))


def job(name: str, *arguments: str, exit_code: int = 2, **texts: str) -> Case:
    """A good machine, and a mistake in the arguments."""
    return Case(f"place_{name}", files(m_toml=TORUS, **texts), ("place", "m.toml", *arguments), exit_code)


PLACE = [
    job("without_ranks"),
    job("without_ranks_per_node", "--ranks", "4"),
    job("option_unknown", *JOB, "--node", "n01"),
    job("grid_of_another_product", *JOB, "--grid", "4x4"),
    job("grid_of_letters", *JOB, "--grid", "axb"),
    job("pattern_unknown", *JOB, "--pattern", "pencil"),
    job("order_misspelt", *JOB, "--order", "random_pair"),
    job("too_many_ranks", "--ranks", "4096", "--ranks-per-node", "4"),
    job("word_negative", *JOB, "--word", "-8"),
    job("points_negative", *JOB, "--points", "-1"),
    job("ranks_negative", "--ranks", "-1"),
    job("spares_of_letters", *JOB, "--spares", "two"),
    job("nodes_not_closed", *JOB, "--nodes", "n[01-04"),
    job("nodes_of_another_machine", *JOB, "--nodes", "m[01-08]"),
    job("nodes_twice", *JOB, "--nodes", "n01,n[01-08]"),
    job("nodes_of_slurm_outside", *JOB, "--nodes", "slurm"),
    job("nodes_file_missing", *JOB, "--nodes", "./nodes", exit_code=MACHINE),
    job("dump_without_service_nodes", *JOB, "--dump", "1e9"),
    job("dump_negative", *JOB, "--dump", "-1"),
    job("dump_never", *JOB, "--dump", "1e9", "--exchanges-per-dump", "0"),
    job("down_unknown", *JOB, "--down", "n99"),
    job("trace_missing", *JOB, "--pattern", "trace:t.txt", exit_code=MACHINE),
    job("trace_of_other_ranks", *JOB, "--pattern", "trace:t.txt", t_txt="0 1 100\n0 32 100\n"),
    job("compare_without_folder", "--compare", "run"),
    Case("place_compare_of_nothing", files(), ("place", "--compare", "run", "--output", "there"), MACHINE),
    Case("place_without_machine", files(), ("place",)),
    Case("place_machine_missing", files(), ("place", "m.toml", *JOB), MACHINE),
    machine("machine_empty", ""),
    machine("machine_not_toml", "[torus\n"),
    machine("machine_of_two_shapes", TORUS + "[fat_tree]\nlevels = []\n"),
    machine("machine_key_misspelt", TORUS.replace("bandwidth = [", "bandwith = [")),
    machine("machine_speed_without_unit", TORUS.replace("2 GB/s", "2 GB")),
    machine("machine_of_too_few_names", TORUS.replace("n[01-32]", "n[01-31]")),
    machine("machine_of_one_name_twice", TORUS.replace("n[01-32]", "n[01-31],n05")),
    machine("graph_of_one_name_twice", GRAPH),
    machine("machine_down_unknown", TORUS + 'down = "n40"\n'),
    Case("place_switch_unknown", files(t_conf="SwitchName=a Nodes=n[1-8] Switches=b\n"), ("place", "t.conf", *JOB)),
    Case("place_blue_waters", files(), ("place", "--blue-waters")),
    Case("place_yaml_flat", files(t_yaml="- topology: a\n  flat: true\n"), ("place", "t.yaml", *JOB)),
    Case("place_yaml_hosts_without_quotes",
         files(t_yaml="- topology: a\n  tree: {switches: [{switch: s, nodes: n[1-8]}]}\n"), ("place", "t.yaml", *JOB)),
    Case("place_yaml_name_twice", files(t_yaml="- topology: a\n  flat: true\n  flat: false\n"),
         ("place", "t.yaml", *JOB)),
    Case("place_hwloc_cut_off", files(n_xml='<topology>\n <object type="Machine">\n'), ("place", "n.xml", *JOB)),
    Case("place_hwloc_alone", files(n_xml='<topology><object type="Core"/></topology>'), ("place", "n.xml", *JOB)),
]
