// Small pictures of images that are still on the reader's machine, drawn onto a canvas: no address is made for them, so
// the page's policy stays as strict as it is.

const SIDE_PX = 96;
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

/** Resolves with a canvas, or null for what the browser cannot draw. */
export async function thumbnailOf(file) {
  if (!IMAGE.test(file.type)) {
    return null;
  }
  let image;
  try {
    image = await createImageBitmap(file);
    const scale = SIDE_PX / Math.min(image.width, image.height);
    const width = image.width * scale;
    const height = image.height * scale;
    const canvas = document.createElement('canvas');
    canvas.width = SIDE_PX;
    canvas.height = SIDE_PX;
    canvas.getContext('2d').drawImage(image, (SIDE_PX - width) / 2, (SIDE_PX - height) / 2, width, height);
    return canvas;
  } catch {
    return null; // It only says that it is an image.
  } finally {
    image?.close();
  }
}
