"""The scripts of deploy, as far as they can be tried without a build."""

import shutil
import subprocess

import pytest

from stand_in import REPOSITORY


@pytest.fixture
def checkout(keeper):
    """A folder with the script alone."""
    folder = keeper.folder / "checkout"
    (folder / "deploy").mkdir(parents=True)
    shutil.copy(REPOSITORY / "deploy/check-build", folder / "deploy")
    return folder


def check_build(folder):
    done = subprocess.run([folder / "deploy/check-build"], capture_output=True, text=True, timeout=20, check=False)
    return done.returncode, done.stderr


def test_a_build_in_the_same_place_passes(checkout):
    assert check_build(checkout) == (0, "")
    assert check_build(checkout) == (0, "")


@pytest.mark.parametrize("how", [shutil.move, shutil.copytree])
def test_a_checkout_that_was_moved_or_copied_with_its_build_says_what_to_remove(keeper, checkout, how):
    assert check_build(checkout)[0] == 0
    moved = keeper.folder / "moved"
    how(checkout, moved)
    status, said = check_build(moved)
    assert status == 1 and str(checkout) in said and f"rm -rf '{moved}/.build'" in said
    shutil.rmtree(moved / ".build")
    assert check_build(moved) == (0, "")


def test_a_build_that_left_no_record_is_known_by_its_plan(checkout):
    (checkout / ".build").mkdir()
    (checkout / ".build/release.yaml").write_text(f'inputs: ["{checkout}/Sources/A.swift"]')
    assert check_build(checkout)[0] == 0
    (checkout / ".build/checkout").unlink()
    (checkout / ".build/release.yaml").write_text('inputs: ["/elsewhere/Sources/A.swift"]')
    status, said = check_build(checkout)
    assert status == 1 and "rm -rf" in said
