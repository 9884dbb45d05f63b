import { describe, expect, it } from 'vitest'
import { createBlockWriter } from './block-writer.ts'

/** The output for blocks, each a list of pieces. */
function write(blocks: readonly (readonly string[])[]): string[] {
  const writer = createBlockWriter()
  return blocks.flatMap((pieces) => {
    writer.begin()
    return pieces.map((piece) => writer.write(piece))
  })
}

describe('createBlockWriter', () => {
  it('drops white space at both ends of a block, and keeps it inside', () => {
    expect(write([['\n ', 'a ', '', ' ', ' b\n', '\u0085']])).toEqual(['', 'a', '', '', '   b', ''])
  })

  it('puts a blank line between blocks that say something', () => {
    expect(write([['a '], [' '], [' b', ' c'], ['']])).toEqual(['a', '', '\n\nb', ' c', ''])
  })

  it('does not take a byte order mark for white space', () => {
    expect(write([['\ufeffa\ufeff']])).toEqual(['\ufeffa\ufeff'])
  })
})
