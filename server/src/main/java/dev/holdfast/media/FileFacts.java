package dev.holdfast.media;

/**
 * What the bytes of a file say about it. Nothing is unpacked: only headers are read, so that no
 * image can be a bomb.
 *
 * @param width in pixels; 0 for what is no image
 * @param height as {@code width}
 */
public record FileFacts(FileType type, int width, int height) {
  /** What providers take at most, on each side. */
  private static final int SIDE_MAX = 8000;

  /** Never throws: what is not what it seems to be is BINARY. */
  public static FileFacts of(byte[] bytes) {
    FileType type = FileType.of(bytes);
    if (!type.isImage()) {
      return new FileFacts(type, 0, 0);
    }
    long size =
        switch (type) {
          case PNG -> png(bytes);
          case JPEG -> jpeg(bytes);
          case GIF -> gif(bytes);
          default -> webp(bytes);
        };
    int width = (int) (size >> 32);
    int height = (int) size;
    boolean sound = width > 0 && height > 0;
    return sound ? new FileFacts(type, width, height) : new FileFacts(FileType.BINARY, 0, 0);
  }

  /** Whether a model may be shown it. */
  public boolean isShowable() {
    return type.isImage() && width <= SIDE_MAX && height <= SIDE_MAX;
  }

  private static long size(int width, int height) {
    return (long) width << 32 | (height & 0xffffffffL);
  }

  private static long png(byte[] bytes) {
    boolean whole = bytes.length >= 45 && FileType.starts(bytes, 12, "IHDR") && hasEnd(bytes);
    return whole ? size(big(bytes, 16), big(bytes, 20)) : 0;
  }

  /** A file that was cut off is refused by providers: better to tell it here. */
  private static boolean hasEnd(byte[] png) {
    for (int at = png.length - 8; at >= Math.max(8, png.length - 1024); at--) {
      if (FileType.starts(png, at, "IEND")) {
        return true;
      }
    }
    return false;
  }

  private static long gif(byte[] bytes) {
    return bytes.length >= 14 ? size(little(bytes, 6, 2), little(bytes, 8, 2)) : 0;
  }

  private static long webp(byte[] bytes) {
    if (bytes.length < 30 || little(bytes, 4, 4) + 8L > bytes.length) {
      return 0;
    }
    if (FileType.starts(bytes, 12, "VP8X")) {
      return size(1 + little(bytes, 24, 3), 1 + little(bytes, 27, 3));
    }
    if (FileType.starts(bytes, 12, "VP8L") && bytes[20] == 0x2f) {
      int packed = little(bytes, 21, 4);
      return size(1 + (packed & 0x3fff), 1 + (packed >> 14 & 0x3fff));
    }
    if (FileType.starts(bytes, 12, "VP8 ") && FileType.starts(bytes, 23, "\u009d\u0001*")) {
      return size(little(bytes, 26, 2) & 0x3fff, little(bytes, 28, 2) & 0x3fff);
    }
    return 0;
  }

  /** Walks over the segments to the one that begins the frame. */
  private static long jpeg(byte[] bytes) {
    int at = 2;
    while (at + 9 < bytes.length && (bytes[at] & 0xff) == 0xff) {
      int marker = bytes[at + 1] & 0xff;
      if (marker == 0xff) {
        at++;
        continue;
      }
      boolean isFrame = marker >= 0xc0 && marker <= 0xcf;
      boolean isTable = marker == 0xc4 || marker == 0xc8 || marker == 0xcc;
      if (isFrame && !isTable) {
        return size(big(bytes, at + 5) & 0xffff, big(bytes, at + 3) & 0xffff);
      }
      at += 2 + (big(bytes, at) & 0xffff);
    }
    return 0;
  }

  private static int big(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 24
        | (bytes[at + 1] & 0xff) << 16
        | (bytes[at + 2] & 0xff) << 8
        | (bytes[at + 3] & 0xff);
  }

  private static int little(byte[] bytes, int at, int count) {
    int value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = value << 8 | (bytes[at + i] & 0xff);
    }
    return value;
  }
}
