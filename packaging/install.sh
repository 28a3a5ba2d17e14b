#!/usr/bin/env bash
# Puts a built Holdfast where the system looks for programs, and takes it away again:
#   install.sh install|uninstall [--prefix DIR]
# The launcher calls it with HOLDFAST_HOME, the folder of the sources; HOLDFAST_JAR and HOLDFAST_PLUGINS, what was built;
# and JAVA_HOME. DESTDIR puts the files below another root: that is how package.sh stages them.
set -euo pipefail

usage=64
cannot_write=73
home=$HOLDFAST_HOME
destdir=${DESTDIR:-}
prefix=/usr/local

say() { printf 'holdfast: %s\n' "$*" >&2; }

fail() { # exit status, words...
  local status=$1
  shift
  say "$*"
  exit "$status"
}

help() {
  printf '%s\n' \
    "Usage: ./holdfast install [--prefix DIR]" \
    "       ./holdfast uninstall [--prefix DIR]" \
    "" \
    "Without --prefix, as root: the program in /usr/local, the configuration in /etc/holdfast, the data in" \
    "/var/lib/holdfast, the user holdfast, and units for systemd." \
    "With --prefix: everything below that folder, for the user who runs it; nothing else is touched." \
    "A configuration and data that are there already stay as they are. See docs/install.md."
}

# A file that a running server reads must not change under it: the new one takes its name.
put() { # mode, source, target
  mkdir -p -- "$(dirname -- "$destdir$3")"
  install -m "$1" -- "$2" "$destdir$3.new"
  mv -f -- "$destdir$3.new" "$destdir$3"
}

put_text() { # mode, target; the text comes from the standard input
  local text
  text=$(mktemp)
  cat >"$text"
  put "$1" "$text" "$2"
  rm -f -- "$text"
}

places() {
  lib=$prefix/lib/holdfast
  share=$prefix/share/holdfast
  docs=$prefix/share/doc/holdfast
  if [ "$prefix" = /usr/local ] || [ "$prefix" = /usr ]; then
    system=yes etc=/etc/holdfast data=/var/lib/holdfast
  else
    system='' etc=$prefix/etc/holdfast data=$prefix/var/lib/holdfast
  fi
}

require_access() {
  local existing=$destdir$prefix
  if [ -n "$system" ] && [ -z "$destdir" ] && [ "$(id -u)" != 0 ]; then
    fail $cannot_write "only root may change $prefix: run it with sudo, or name a folder of your own: --prefix ~/.local"
  fi
  while [ ! -e "$existing" ]; do existing=$(dirname -- "$existing"); done
  [ -w "$existing" ] || fail $cannot_write "cannot write into $existing: name another folder with --prefix"
}

program() {
  put 755 "$home/holdfast" "$lib/holdfast"
  put 755 "$home/packaging/healthy" "$lib/healthy"
  put 644 "$home/systemd/java.options" "$lib/java.options"
  printf 'config=%s\ndata=%s\n' "$etc/holdfast.yaml" "$data" | put_text 644 "$lib/places"
  put 644 "$HOLDFAST_JAR" "$lib/holdfast.jar"
  mkdir -p -- "$destdir$prefix/bin"
  ln -sfn -- ../lib/holdfast/holdfast "$destdir$prefix/bin/holdfast"
  say "the program is $prefix/bin/holdfast, its files are in $lib"
}

plugins() {
  local jar
  rm -rf -- "$destdir$share/plugins"
  for jar in "$HOLDFAST_PLUGINS"/*.jar; do
    put 644 "$jar" "$share/plugins/$(basename -- "$jar")"
  done
  say "the bundled plugins are in $share/plugins; none is loaded before you copy it into $etc/plugins"
}

documents() {
  local page
  rm -rf -- "$destdir${docs:?}"
  while IFS= read -r page; do
    put 644 "$home/$page" "$docs/$page"
  done < <(cd -- "$home" && find README.md CHANGELOG.md LICENSE docs -type f)
  put 644 "$home/target/bom.json" "$docs/bom.json"
  "$JAVA_HOME/bin/java" -jar "$HOLDFAST_JAR" manual | put_text 644 "$prefix/share/man/man1/holdfast.1"
  "$JAVA_HOME/bin/java" -jar "$HOLDFAST_JAR" completion | put_text 644 "$prefix/share/bash-completion/completions/holdfast"
  say "the documents are in $docs; man holdfast; bash completes commands from the next login on"
}

# Every default is in the template as a comment; what an installation needs is set.
configuration() {
  sed -e 's|^#server:|server:|' -e "s|^#  plugins_dir: plugins  .*|  plugins_dir: $etc/plugins|" \
    "$home/conf/holdfast.yaml" | put_text 644 "$share/holdfast.yaml"
  put 644 "$home/packaging/holdfast.env" "$share/holdfast.env"
  put 644 "$home/systemd/holdfast-tools.conf" "$share/holdfast-tools.conf"
  put 644 "$home/conf/alerts.yaml" "$share/alerts.yaml"
  put 644 "$home/conf/grafana.json" "$share/grafana.json"
  mkdir -p -- "$destdir$etc/plugins"
  local name
  for name in holdfast.yaml holdfast.env; do
    if [ -e "$destdir$etc/$name" ]; then
      say "$etc/$name is there already and stays as it is"
    else
      put 640 "$destdir$share/$name" "$etc/$name"
      say "the configuration is $etc/$name"
    fi
  done
}

units() {
  local unit
  for unit in holdfast.service holdfast-cache.service; do
    sed -e "s|/usr/lib/holdfast|$lib|g" -e "s|^ExecStart=/usr/bin/java|ExecStart=$java|" \
      -e "s|/usr/share/doc|$prefix/share/doc|" "$home/systemd/$unit" |
      put_text 644 "$prefix/lib/systemd/system/$unit"
  done
  put 644 "$home/systemd/holdfast.sysusers.conf" "$prefix/lib/sysusers.d/holdfast.conf"
  put 644 "$home/systemd/holdfast.tmpfiles.conf" "$prefix/lib/tmpfiles.d/holdfast.conf"
  say "the units for systemd are in $prefix/lib/systemd/system"
}

user_and_folders() {
  if ! getent passwd holdfast >/dev/null; then
    useradd --system --user-group --home-dir "$data" --no-create-home --shell /usr/sbin/nologin \
      --comment "Holdfast chat-agent server" holdfast
    say "the user is holdfast"
  fi
  install -d -o holdfast -g holdfast -m 700 -- "$data"
  install -d -o holdfast -g holdfast -m 755 -- /var/cache/holdfast
  install -d -o root -g holdfast -m 750 -- "$etc"
  chgrp holdfast -- "$etc/holdfast.yaml" "$etc/holdfast.env"
  say "the data is in $data"
}

runs_systemd() { [ -d /run/systemd/system ]; }

install_all() {
  require_access
  java=${HOLDFAST_UNIT_JAVA:-$JAVA_HOME/bin/java}
  case $system$java in
    yes/home/* | yes/root/*) fail $cannot_write "the unit must not read $java, which lies in somebody's home: install a Java 25 for all users" ;;
  esac
  program
  plugins
  documents
  configuration
  if [ -n "$system" ]; then units; fi
  if [ -n "$destdir" ]; then return; fi
  if [ -z "$system" ]; then
    mkdir -p -- "$data"
    chmod 700 -- "$data"
    say "the data is in $data"
    say "done. Start it: $prefix/bin/holdfast run"
    case :$PATH: in *:$prefix/bin:*) ;; *) say "$prefix/bin is not on your PATH yet: export PATH=$prefix/bin:\$PATH" ;; esac
    return
  fi
  user_and_folders
  if runs_systemd; then
    systemctl daemon-reload
    if systemctl is-active --quiet holdfast; then
      systemctl restart holdfast
      say "done: the server was restarted and goes on with what was open"
      return
    fi
    say "done. Next: put the keys of your models into $etc/holdfast.env, then: systemctl enable --now holdfast"
  else
    say "done. No systemd runs here. Put the keys of your models into $etc/holdfast.env, then: holdfast run"
  fi
  say "The address of the chat page, with a login: holdfast login-link"
}

uninstall_all() {
  local unit
  require_access
  [ -e "$destdir$lib/places" ] || fail 1 "nothing is installed in $prefix"
  if [ -n "$system" ]; then
    if [ -z "$destdir" ] && runs_systemd; then systemctl disable --now holdfast || true; fi
    for unit in holdfast.service holdfast-cache.service; do rm -f -- "$destdir$prefix/lib/systemd/system/$unit"; done
    rm -f -- "$destdir$prefix/lib/sysusers.d/holdfast.conf" "$destdir$prefix/lib/tmpfiles.d/holdfast.conf"
    if [ -z "$destdir" ] && runs_systemd; then systemctl daemon-reload; fi
  fi
  rm -f -- "$destdir$prefix/bin/holdfast" "$destdir$prefix/share/man/man1/holdfast.1" \
    "$destdir$prefix/share/bash-completion/completions/holdfast"
  rm -rf -- "$destdir$lib" "$destdir$share" "$destdir$docs"
  say "removed from $prefix. The configuration in $etc and the data in $data are still there: delete them if you want"
}

main() {
  local action=$1
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix)
        [ -n "${2:-}" ] || fail $usage "--prefix needs a folder"
        prefix=$2
        shift 2
        ;;
      --prefix=?*) prefix=${1#--prefix=} && shift ;;
      -h | --help) help && exit 0 ;;
      *) fail $usage "unknown argument $1: see ./holdfast $action --help" ;;
    esac
  done
  prefix=$(realpath -sm -- "$prefix")
  case $prefix in
    / | *[!A-Za-z0-9/._+-]*) fail $usage "--prefix must be a folder below / of plain letters, digits and ._+-, got $prefix" ;;
  esac
  places
  umask 022
  "${action}_all"
}

main "$@"
