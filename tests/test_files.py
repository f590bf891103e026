"""Files are written whole or not at all, and what cannot be written is known before the work."""

import os
import stat

import pytest

from tarock_env.files import check_target, new_file, write_text

resource = pytest.importorskip("resource")
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0  # may write everywhere


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def full_disk():
    """No file may grow beyond 4096 bytes: the next best thing to a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_is_written_or_replaced(tmp_path):
    path = tmp_path / "a.json"
    write_text(path, "one")
    path.chmod(0o640)
    write_text(path, "two")
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with new_file(path, binary=True) as file:
        file.write(b"\xff")
    assert path.read_bytes() == b"\xff"
    assert names(tmp_path) == ["a.json"]


def test_what_fails_on_the_way_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")

    def write_and_fail():
        with new_file(path) as file:
            file.write("new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.json"]


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path, full_disk):
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(OSError, match="too large") as caught:
        write_text(path, "x" * 100_000)
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.json"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110 - a device
def test_devices_are_written_to_and_not_replaced():
    check_target("/dev/full")
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_text("/dev/full", "x")
    write_text("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "real" / "a.json")
    write_text(tmp_path / "link.json", "one")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real" / "a.json").read_text() == "one"
    assert names(tmp_path / "real") == ["a.json"]


def test_long_names_can_be_written(tmp_path):
    write_text(tmp_path / ("x" * 255), "one")
    assert (tmp_path / ("x" * 255)).read_text() == "one"


def error_of(path):
    with pytest.raises(OSError, match=r".") as caught:
        check_target(path)
    return f"{caught.value.strerror}: {caught.value.filename}"


def test_what_cannot_be_written_is_known_before(tmp_path):
    check_target(tmp_path / "new.json")
    assert names(tmp_path) == []
    assert error_of(tmp_path) == f"a folder; give the name of a file: {tmp_path}"
    assert error_of(tmp_path / "no" / "a") == f"there is no such folder; make it first: {tmp_path / 'no'}"
    (tmp_path / "file").write_text("x")
    check_target(tmp_path / "file")
    assert error_of(tmp_path / "file" / "a").endswith(str(tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "x"
    assert str(tmp_path / ("x" * 256)) in error_of(tmp_path / ("x" * 256))


@pytest.mark.skipif(ROOT, reason="root may write everywhere")
def test_write_protection_is_known_before(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "file").chmod(0o400)
    assert error_of(tmp_path / "file") == f"write-protected: {tmp_path / 'file'}"
    tmp_path.chmod(0o500)
    assert error_of(tmp_path / "new") == f"Permission denied: {tmp_path}"
