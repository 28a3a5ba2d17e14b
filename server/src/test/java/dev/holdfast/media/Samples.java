package dev.holdfast.media;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;

/** Small files of each kind. */
public final class Samples {
  private Samples() {}

  /** {@code format}: png, jpg or gif. */
  public static byte[] image(String format, int width, int height) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      ImageIO.write(new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB), format, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  public static byte[] png(int width, int height) {
    return image("png", width, height);
  }
}
