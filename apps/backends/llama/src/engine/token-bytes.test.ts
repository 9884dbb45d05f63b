import type { LlamaModel, Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { createTokenBytes } from './token-bytes.ts'

function model(kind: string, tokens: string[], types: number[]): LlamaModel {
  const ggml = { model: kind, tokens, token_type: types }
  return { fileInfo: { metadata: { tokenizer: { ggml } } } } as unknown as LlamaModel
}

const at = (id: number): Token => id as Token

describe('bytes of tokens', () => {
  it('are those of the pieces, a space for every ▁', () => {
    const bytes = createTokenBytes(model('llama', ['▁hel▁lo', '<0xF0>', '</s>', 'é', ' '], [1, 6, 3, 1, 1]))
    expect(bytes.of(at(0)).toString()).toBe(' hel lo')
    expect([...bytes.of(at(1))]).toEqual([0xf0])
    expect(bytes.of(at(2)).toString()).toBe('</s>')
    expect([...bytes.of(at(3))]).toEqual([0xc3, 0xa9])
    expect([bytes.ofByte(0xf0), bytes.ofByte(0x20), bytes.ofByte(0x41)]).toEqual([1, 4, undefined])
  })

  it('are decoded where every byte is written as a character', () => {
    const bytes = createTokenBytes(model('gpt2', ['Ġhi', 'Ċ', 'ð', '<|x|>', '!'], [1, 1, 1, 3, 1]))
    expect(bytes.of(at(0)).toString()).toBe(' hi')
    expect(bytes.of(at(1)).toString()).toBe('\n')
    expect([...bytes.of(at(2))]).toEqual([0xf0])
    expect(bytes.of(at(3)).toString()).toBe('<|x|>')
    expect([bytes.ofByte(0x0a), bytes.ofByte(0xf0), bytes.ofByte(0x21)]).toEqual([1, 2, 4])
  })
})
