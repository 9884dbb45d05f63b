import { describe, expect, it } from 'vitest'
import { SNIFFED_BYTES, sniffMedia } from './sniff-media.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')
const hex = (bytes: string) => Buffer.from(bytes, 'hex')
const container = (brand: string) => Buffer.concat([hex('00000020'), latin(`ftyp${brand}`), Buffer.alloc(16)])

describe('media types', () => {
  it.each<[string, Buffer, readonly string[]]>([
    ['image/png', hex('89504e470d0a1a0a0000000d'), ['image']],
    ['image/jpeg', hex('ffd8ffe000104a464946'), ['image']],
    ['image/gif', latin('GIF89a..'), ['image']],
    ['image/webp', latin('RIFF\u0010\0\0\0WEBPVP8 '), ['image']],
    ['image/bmp', Buffer.concat([latin('BM'), hex('460000000000000036000000')]), ['image']],
    ['image/tiff', hex('49492a0008000000'), ['image']],
    ['image/tiff', hex('4d4d002a00000008'), ['image']],
    ['image/avif', container('avif'), ['image']],
    ['image/heic', container('heic'), ['image']],
    ['audio/wav', latin('RIFF\u0024\0\0\0WAVEfmt '), ['audio']],
    ['audio/flac', latin('fLaC\0\0\0"'), ['audio']],
    ['audio/aiff', latin('FORM\0\0\0\0AIFF'), ['audio']],
    ['audio/amr', latin('#!AMR\n'), ['audio']],
    ['audio/mpeg', latin('ID3\u0004\0'), ['audio']],
    ['audio/mpeg', hex('fffb9064'), ['audio']],
    ['audio/aac', hex('fff15080'), ['audio']],
    ['audio/mp4', container('M4A '), ['audio']],
    ['audio/ogg', latin('OggS\0\u0002'), ['audio', 'video']],
    ['video/webm', hex('1a45dfa3a3428681'), ['video', 'audio']],
    ['video/mp4', container('isom'), ['video', 'audio']],
    ['video/x-msvideo', latin('RIFF\0\0\0\0AVI LIST'), ['video']],
    ['video/mpeg', hex('000001ba44000400'), ['video']],
    ['video/mp2t', Buffer.concat([hex('47'), Buffer.alloc(187), hex('47')]), ['video']],
    ['video/x-flv', latin('FLV\u0001\u0005'), ['video']],
  ])('are told by their first bytes: %s', (mediaType, head, kinds) => {
    expect(sniffMedia(head)).toEqual({ mediaType, kinds })
    expect(sniffMedia(Buffer.concat([head, Buffer.alloc(2 * SNIFFED_BYTES)]))).toEqual({ mediaType, kinds })
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(600)],
    ['a page', latin('<!doctype html><html>')],
    ['a drawing in text', latin('<svg xmlns="http://www.w3.org/2000/svg">')],
    ['a document', latin('%PDF-1.7')],
    ['an archive', hex('504b0304')],
    ['a mark that is not at the beginning', latin(' GIF89a')],
    ['half a mark', hex('89504e47')],
    ['RIFF of another kind', latin('RIFF\0\0\0\0sfbk')],
    ['a frame of a layer that does not exist', hex('ffe19064')],
    ['a frame of a rate that does not exist', hex('fffb9c64')],
  ])('are not taken for media: %s', (_, head) => {
    expect(sniffMedia(head)).toBeUndefined()
  })

  it('are told of a part of larger memory', () => {
    const memory = Buffer.concat([latin('fLaC'), hex('89504e470d0a1a0a')])
    expect(sniffMedia(memory.subarray(4))?.mediaType).toBe('image/png')
  })
})
