package dev.holdfast.tests.harness;

import java.io.IOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What /metrics serves. */
public final class Metrics {
  private final String url;
  private final Http http = new Http();

  public Metrics(Setup setup) {
    this.url = "http://127.0.0.1:" + setup.metricsPort() + "/metrics";
  }

  public String text() throws IOException {
    Answer answer = http.get(url, Map.of());
    if (answer.status() != 200) {
      throw new IOException("/metrics says " + answer.status());
    }
    return answer.body();
  }

  /**
   * The sum of all samples of a name whose labels hold all the given {@code name="value"} pairs.
   */
  public double sum(String name, String... labels) throws IOException {
    Pattern line =
        Pattern.compile("^" + Pattern.quote(name) + "(\\{[^}]*})? +(\\S+).*$", Pattern.MULTILINE);
    Matcher matcher = line.matcher(text());
    double sum = 0;
    while (matcher.find()) {
      String found = matcher.group(1) == null ? "" : matcher.group(1);
      boolean all = true;
      for (String label : labels) {
        all &= found.contains(label);
      }
      if (all) {
        sum += Double.parseDouble(matcher.group(2));
      }
    }
    return sum;
  }
}
