import { describe, expect, it } from 'vitest'
import {
  bitString,
  DER_NULL,
  DER_TRUE,
  encodeDer,
  encodeTime,
  integer,
  objectIdentifier,
  octetString,
  readDer,
  sequence,
  utf8String,
} from './der.ts'

const hex = (bytes: Buffer): string => bytes.toString('hex')

describe('a value', () => {
  it.each<[string, Buffer, string]>([
    ['null', DER_NULL, '0500'],
    ['true', DER_TRUE, '0101ff'],
    ['an integer', integer(Buffer.of(1, 2)), '02020102'],
    ['octets', octetString(Buffer.of(7)), '040107'],
    ['a text', utf8String('ä'), '0c02c3a4'],
    ['bits', bitString(Buffer.of(0x80), 7), '03020780'],
    ['whole bytes of bits', bitString(Buffer.of(0x80)), '03020080'],
    ['a sequence', sequence(DER_NULL, DER_TRUE), '300505000101ff'],
    ['an identifier', objectIdentifier('2.5.29.17'), '0603551d11'],
    ['an identifier of large numbers', objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    ['an identifier with 127, 128, and 16384', objectIdentifier('1.3.127.128.16384'), '06072b7f8100818000'],
    ['a time before 2050', encodeTime(new Date('2049-12-31T23:59:58Z')), `170d${hex(Buffer.from('491231235958Z'))}`],
    ['a time from 2050 on', encodeTime(new Date('2050-01-02T03:04:05Z')), `180f${hex(Buffer.from('20500102030405Z'))}`],
  ])('that is %s', (_name, bytes, expected) => {
    expect(hex(bytes)).toBe(expected)
  })

  it.each([
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_535, '0482ffff'],
  ])('of %d bytes begins with %s, and is read as it was', (size, header) => {
    const content = Buffer.alloc(size, 9)
    const bytes = octetString(content)
    expect(hex(bytes.subarray(0, bytes.length - size))).toBe(header)
    const [first, second, ...others] = readDer(Buffer.concat([bytes, DER_TRUE]))
    expect(first).toEqual({ tag: 4, content, bytes })
    expect(second).toEqual({ tag: 1, content: Buffer.of(0xff), bytes: DER_TRUE })
    expect(others).toEqual([])
  })

  it('of 65536 bytes is not written', () => {
    expect(() => encodeDer(4, Buffer.alloc(65_536))).toThrow(RangeError)
  })
})

it.each(['04', '0401', '048180', '0481', '0480', '04850000000001', '30030500'])('%s is not read', (bytes) => {
  expect(() => readDer(Buffer.from(bytes, 'hex'))).toThrow(RangeError)
})

it('a length of four bytes is read', () => {
  expect(readDer(Buffer.from('04840000000107', 'hex'))[0]?.content).toEqual(Buffer.of(7))
  expect(readDer(Buffer.alloc(0))).toEqual([])
})
