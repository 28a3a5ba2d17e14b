package dev.holdfast.tests.bench;

/** One thing that is measured, with its bare limit beside it. */
interface Row {
  void run(Scale scale, Report report) throws Exception;
}
