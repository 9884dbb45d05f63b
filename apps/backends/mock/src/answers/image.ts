import { readFileSync } from 'node:fs'
import { encodePng, readPngSize } from '../png.ts'
import type { BackendAnswers } from '../state.ts'
import { hashText } from '../words.ts'
import { writeResult } from '../write-result.ts'

/** Images of one colour, which the prompt decides; videos and scenes that are well-formed and empty. */
export const imageAnswers = {
  generateImage({ dst, width, height, positivePrompt }) {
    const size = { width: width || 64, height: height || 64 }
    return writeResult(dst, encodePng(size, hashText(positivePrompt)))
  },
  upscaleImage({ src, dst, scale }) {
    const { width, height } = readPngSize(readFileSync(src))
    const factor = scale || 2
    return writeResult(dst, encodePng({ width: width * factor, height: height * factor }, hashText(src)))
  },
  generateVideo: ({ dst }) => writeResult(dst, emptyMp4()),
  generate3D: ({ dst }) => writeResult(dst, emptyGlb()),
} satisfies Partial<BackendAnswers>

function emptyMp4(): Buffer {
  const box = (type: string, body: Buffer) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(8 + body.length, 0)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, body])
  }
  return Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1')), box('mdat', Buffer.of())])
}

function emptyGlb(): Buffer {
  const json = Buffer.from('{"asset":{"version":"2.0"}}'.padEnd(28))
  const head = Buffer.alloc(20)
  head.write('glTF', 0, 'latin1')
  head.writeUInt32LE(2, 4)
  head.writeUInt32LE(20 + json.length, 8)
  head.writeUInt32LE(json.length, 12)
  head.write('JSON', 16, 'latin1')
  return Buffer.concat([head, json])
}
