package dev.holdfast.drills;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BallastTest {
  private static final long MIB = 1024 * 1024;

  @Test
  void aQuarterOfTheHeapIsTakenAtMostAndGivenBack() {
    Ballast ballast = new Ballast(12 * MIB, () -> 100 * MIB);
    ballast.fill();
    assertThat(ballast.bytes()).isEqualTo(3 * MIB);
    ballast.tick();
    assertThat(ballast.bytes()).isEqualTo(3 * MIB);
    ballast.close();
    assertThat(ballast.bytes()).isZero();
    assertThat(ballast.strikes()).isEqualTo(12);
  }

  @Test
  void aThirdOfTheHeapIsLeftFree() {
    Ballast[] ballast = new Ballast[1];
    ballast[0] = new Ballast(12 * MIB, () -> 6 * MIB - ballast[0].bytes());
    ballast[0].fill();
    assertThat(ballast[0].bytes()).isLessThan(2 * MIB + MIB / 2).isGreaterThan(MIB);
  }

  @Test
  void nothingIsTakenWhereLittleIsFree() {
    Ballast ballast = new Ballast(12 * MIB, () -> 3 * MIB);
    ballast.fill();
    assertThat(ballast.bytes()).isZero();
  }
}
