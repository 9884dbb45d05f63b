/** Width and height of an image, in points. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

type ReadSize = (bytes: Buffer) => ImageSize | undefined

const READERS: Readonly<Record<string, ReadSize>> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/gif': readGif,
  'image/webp': readWebp,
}

/** Bytes in which the header of an image stands. A JPEG may have any amount of notes before it. */
const HEADER_BYTES = 64

/** Gives the number of leading bytes that {@link readImageSize} needs. */
export function countSizeBytes(mediaType: string): number {
  return mediaType === 'image/jpeg' ? Number.POSITIVE_INFINITY : HEADER_BYTES
}

/**
 * Reads the size of a PNG, JPEG, GIF or WebP image from its header. Undefined for other types and for a header that is
 * cut off, wrong or of no size.
 *
 * @param mediaType as the first bytes show it
 */
export function readImageSize(bytes: Buffer, mediaType: string): ImageSize | undefined {
  const size = READERS[mediaType]?.(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function readPng(bytes: Buffer): ImageSize | undefined {
  const isHeader = bytes.length >= 24 && bytes.readUInt32BE(8) === 13 && bytes.toString('latin1', 12, 16) === 'IHDR'
  return isHeader ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined
}

function readGif(bytes: Buffer): ImageSize | undefined {
  return bytes.length >= 10 ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined
}

function readWebp(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return undefined
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Walks over the segments up to the start of a frame. */
function readJpeg(bytes: Buffer): ImageSize | undefined {
  let at = 2
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (hasNoLength(marker)) at += 2
    else if (isFrame(marker)) {
      if (at + 9 > bytes.length) return undefined
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    } else {
      // The data of the image begin here, and no frame has come.
      if (marker === 0xda || marker === 0xd9) return undefined
      at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
    }
  }
  return undefined
}

function hasNoLength(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
}

/** C4, C8 and CC are tables and extensions. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}
