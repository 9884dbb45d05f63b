import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type ChatTurn, createChatTemplate } from '../src/index.ts'

/** A conversation that a template refused, or showed wrongly, in practice. */
interface FoundConversation {
  readonly id: string
  readonly class: string
  readonly template: string
  readonly body: { readonly messages: readonly ChatTurn[]; readonly tools?: readonly unknown[] }
  /** Texts that the prompt has to show. */
  readonly shows: readonly string[]
}

const FILE = new URL('../__fixtures__/found-conversations.jsonl', import.meta.url)
const found: readonly FoundConversation[] = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

it.each(found.map((each) => [each.id, each.class, each] as const))(
  '%s: %s',
  (_id, _class, { template, body, shows }) => {
    const prompt = createChatTemplate({ source: template }).render({
      messages: body.messages,
      tools: body.tools ?? null,
    })
    for (const text of shows) expect(prompt).toContain(text)
    expect(prompt.endsWith('<a>')).toBe(true)
  },
)

it('gives a call and its result the same id of nine letters', () => {
  const { template, body } = found.find(({ id }) => id === 'T08') ?? {}
  const source = template?.replace('<r>', '<r {{ m.tool_call_id }}>') ?? ''
  const prompt = createChatTemplate({ source }).render({ messages: body?.messages ?? [], tools: body?.tools ?? null })
  expect(prompt).toMatch(/\(weather ([a-zA-Z0-9]{9})\)<\/a><r \1>rain/)
})
