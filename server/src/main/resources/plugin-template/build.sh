#!/usr/bin/env bash
# Compiles, runs the tests, and packs target/NAME-VERSION.jar. Needs a JDK 25 and holdfast.jar, nothing else.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

holdfast=${HOLDFAST_JAR:-}
[ -n "$holdfast" ] || holdfast=@JAR@
[ -e "$holdfast" ] || { echo "build.sh: $holdfast is missing: set HOLDFAST_JAR to holdfast.jar" >&2; exit 1; }
[ -z "${JAVA_HOME:-}" ] || PATH=$JAVA_HOME/bin:$PATH

id=$(sed -n 's/^Plugin-Id: *//p' manifest.txt)
version=$(sed -n 's/^Plugin-Version: *//p' manifest.txt)
jar=target/$id-$version.jar

rm -rf target
mkdir -p target/classes target/test-classes
flags=(--release 25 -proc:none -Xlint:all,-path,-classfile)
find src/main/java -name '*.java' >target/sources
javac "${flags[@]}" -cp "$holdfast" -d target/classes @target/sources
if [ -d src/main/resources ]; then cp -R src/main/resources/. target/classes/; fi

# A test is a class whose name ends in Test, with a main method that throws when something is wrong.
find src/test/java -name '*.java' >target/test-sources
javac "${flags[@]}" -cp "target/classes:$holdfast" -d target/test-classes @target/test-sources
while IFS= read -r test; do
  test=${test#src/test/java/} test=${test%.java}
  java -ea -cp "target/classes:target/test-classes:$holdfast" "${test//\//.}"
done < <(grep 'Test\.java$' target/test-sources)

jar --create --file "$jar" --manifest manifest.txt -C target/classes .
echo "$PWD/$jar"
