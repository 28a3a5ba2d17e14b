package dev.holdfast.models;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;

/**
 * The {@code models.budget} section of holdfast.yaml. Zero is no limit.
 *
 * @param monthlyUsd of all together, in a calendar month
 * @param dailyUsd of all together, in a day
 * @param perUser of one person, in a day
 * @param perThread of one chat thread, in a day
 * @param warnPercent from this part of a budget on, the operator is warned
 */
public record BudgetConfig(
    double monthlyUsd, double dailyUsd, Limit perUser, Limit perThread, int warnPercent) {
  public static final BudgetConfig NONE = new BudgetConfig(0, 0, Limit.NONE, Limit.NONE, 80);

  private static final double USD_MAX = 1_000_000_000;

  public BudgetConfig {
    Check.inRange("monthly_usd", monthlyUsd, 0, USD_MAX);
    Check.inRange("daily_usd", dailyUsd, 0, USD_MAX);
    Check.inRange("warn_percent", warnPercent, 1, 100);
  }

  /** What one may use in a day. {@code messages}: those that a model was asked for. */
  public record Limit(double usd, long messages, long tokens) {
    static final Limit NONE = new Limit(0, 0, 0);

    public boolean isNone() {
      return usd == 0 && messages == 0 && tokens == 0;
    }

    private static Limit from(Section budget, String whose) {
      double usd = budget.number(whose + "_daily_usd", 0);
      long messages = budget.wholeLong(whose + "_daily_messages", 0);
      long tokens = budget.wholeLong(whose + "_daily_tokens", 0);
      Check.inRange(whose + "_daily_usd", usd, 0, USD_MAX);
      Check.atLeast(whose + "_daily_messages", messages, 0);
      Check.atLeast(whose + "_daily_tokens", tokens, 0);
      return new Limit(usd, messages, tokens);
    }
  }

  public static BudgetConfig from(Section budget) {
    return new BudgetConfig(
        budget.number("monthly_usd", 0),
        budget.number("daily_usd", 0),
        Limit.from(budget, "per_user"),
        Limit.from(budget, "per_thread"),
        budget.whole("warn_percent", 80));
  }

  /** Whether nothing is limited. */
  public boolean isNone() {
    return monthlyUsd == 0 && dailyUsd == 0 && perUser.isNone() && perThread.isNone();
  }
}
