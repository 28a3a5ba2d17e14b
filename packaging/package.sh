#!/usr/bin/env bash
# Builds a package for Debian with a Java of its own (jlink), so that it needs nothing from outside Debian:
#   package.sh package [--output DIR] [--revision N]
# The launcher calls it with the variables that install.sh needs.
set -euo pipefail

usage=64
unavailable=69
home=$HOLDFAST_HOME
output=$home/target
revision=1
# All of Java SE for plugins, and what the server and those who look for its faults use besides.
modules=java.se,jdk.charsets,jdk.crypto.cryptoki,jdk.httpserver,jdk.jcmd,jdk.jfr,jdk.localedata,jdk.management,jdk.management.agent,jdk.naming.dns,jdk.net,jdk.security.auth,jdk.unsupported,jdk.zipfs

say() { printf 'holdfast: %s\n' "$*" >&2; }

fail() { # exit status, words...
  local status=$1
  shift
  say "$*"
  exit "$status"
}

# Made once for each Java.
runtime() {
  local key
  key="$(cat -- "$JAVA_HOME/release") $modules"
  if [ -f "$work/runtime.key" ] && [ "$(<"$work/runtime.key")" = "$key" ]; then return; fi
  say "making the Java of the package..."
  rm -rf -- "$work/runtime" "$work/runtime.key"
  "$JAVA_HOME/bin/jlink" --add-modules "$modules" --strip-debug --no-header-files --no-man-pages \
    --output "$work/runtime" >"$work/jlink.log" 2>&1 || fail $unavailable "jlink failed: $(tail -n 1 -- "$work/jlink.log")"
  # Its own classes as they are in memory, for the object headers that java.options asks for: a start is twice as fast.
  "$work/runtime/bin/java" -XX:+UseCompactObjectHeaders -Xshare:dump >>"$work/jlink.log" 2>&1 ||
    say "the Java of the package starts more slowly: $(tail -n 1 -- "$work/jlink.log")"
  printf '%s' "$key" >"$work/runtime.key"
}

stage() {
  rm -rf -- "$root"
  DESTDIR=$root HOLDFAST_UNIT_JAVA=/usr/lib/holdfast/runtime/bin/java "$home/packaging/install.sh" install --prefix /usr 2>"$work/install.log" ||
    fail 1 "$(<"$work/install.log")"
  # Hard links: a copy takes 150 MB more.
  cp -al -- "$work/runtime" "$root/usr/lib/holdfast/runtime"
  # The first installation copies the templates: what dpkg knows as a configuration file it asks about at upgrades.
  rm -r -- "${root:?}/etc"
  mv -- "$root/usr/share/doc/holdfast/LICENSE" "$root/usr/share/doc/holdfast/copyright"
}

control() {
  mkdir -p -- "$root/DEBIAN"
  sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" \
    -e "s/@SIZE@/$(du -sk --exclude=DEBIAN -- "$root" | cut -f 1)/" "$home/packaging/debian/control" >"$root/DEBIAN/control"
  for script in postinst prerm postrm; do
    install -m 755 -- "$home/packaging/debian/$script" "$root/DEBIAN/$script"
  done
  (cd -- "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
}

main() {
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --output) output=${2:?--output needs a folder} && shift 2 ;;
      --revision) revision=${2:?--revision needs a number} && shift 2 ;;
      -h | --help)
        printf '%s\n' "Usage: ./holdfast package [--output DIR] [--revision N]" "" \
          "Builds DIR/holdfast_VERSION-N_ARCHITECTURE.deb; DIR is target, N is 1. See docs/install.md."
        exit 0
        ;;
      *) fail $usage "unknown argument $1: see ./holdfast package --help" ;;
    esac
  done
  command -v dpkg-deb >/dev/null || fail $unavailable "dpkg-deb is missing: packages are built on Debian or its like"
  [ -x "$JAVA_HOME/bin/jlink" ] || fail $unavailable "$JAVA_HOME has no jlink: a JDK 25 is needed, a JRE does not do"
  umask 022
  work=$output/package root=$output/package/root
  mkdir -p -- "$work"
  architecture=$(dpkg --print-architecture)
  version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$home/pom.xml")-$revision
  file=$output/holdfast_${version}_$architecture.deb
  runtime
  stage
  control
  say "packing..."
  dpkg-deb --root-owner-group -Zzstd -z10 --build "$root" "$file" >/dev/null
  rm -rf -- "$root"
  say "the package is $file ($(($(stat -c %s -- "$file") / 1048576)) MiB). Install it: apt-get install $(realpath -- "$file")"
}

main "$@"
