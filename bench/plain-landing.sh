#!/bin/sh
# The work of a careful person by hand: proves the base and the merge in a separate clone, then moves the base.
# usage: plain-landing.sh REPOSITORY CLONE BRANCH CHECK
set -e
repository=$1 clone=$2 branch=$3 check=$4
if [ -d "$clone" ]; then
  git -C "$clone" fetch --quiet origin
else
  git clone --quiet --shared --no-checkout "$repository" "$clone"
fi
cd "$clone"
git checkout --quiet --force --detach origin/main
git clean -ffdxq
sh -c "$check"
git -c user.name=Bench -c user.email=bench@localhost merge --quiet --no-ff --no-edit "origin/$branch"
sh -c "$check"
cd "$repository"
git fetch --quiet "$clone" HEAD
git merge --quiet --ff-only FETCH_HEAD
