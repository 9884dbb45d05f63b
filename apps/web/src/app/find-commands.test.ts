import { describe, expect, it } from 'vitest'
import { type Command, findCommands, isReference } from './find-commands.ts'

const make = (kind: Command['kind'], text: string, words = ''): Command => ({
  id: text,
  kind,
  text,
  words,
  icon: 'cube',
  run() {},
})
const commands = [
  make('page', 'Models'),
  make('action', 'New chat'),
  make('model', 'demo-embed', 'llama'),
  make('chat', 'A story about a fox', 'demo'),
  make('setting', 'Default model', 'default_model default model of new chats'),
]

describe('the palette', () => {
  it.each([
    ['', ['Models', 'New chat']],
    ['   ', ['Models', 'New chat']],
    ['MODEL', ['Models', 'Default model']],
    ['demo', ['demo-embed', 'A story about a fox']],
    ['fox story', ['A story about a fox']],
    ['default_model', ['Default model']],
    ['llama', ['demo-embed']],
    ['nothing here', []],
  ])('finds for %j', (text, found) => {
    expect(findCommands(commands, text).map((command) => command.text)).toEqual(found)
  })
  it('shows a bounded number', () => {
    const many = Array.from({ length: 5000 }, (_, index) => make('chat', `chat ${index}`))
    expect(findCommands(many, 'chat')).toHaveLength(40)
  })
  it.each([
    ['0197f0c2-7d5e-7b51-9d1f-3c2f6d0f2a11', true],
    ['req_7f3a9c21', true],
    ['12345678', true],
    ['settings', false],
    ['1234567', false],
    ['two words 12345', false],
    ['x'.repeat(200), false],
    ['<script>12345', false],
    ['', false],
  ])('takes %j for a correlation id: %s', (text, expected) => {
    expect(isReference(text)).toBe(expected)
  })
})
