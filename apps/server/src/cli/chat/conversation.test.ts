import { expect, it } from 'vitest'
import { createConversation } from './conversation.ts'

it('begins with the system message, keeps answered prompts, and forgets all but it', () => {
  const conversation = createConversation({ system: 'Be kind.' })
  const roles = (): string =>
    conversation
      .ask('?')
      .map(({ role, content }) => `${role}: ${content}`)
      .join(' | ')
  conversation.keep('one', 'first')
  conversation.keep('unanswered', '')
  expect(roles()).toBe('system: Be kind. | user: one | assistant: first | user: ?')
  conversation.clear()
  expect(roles()).toBe('system: Be kind. | user: ?')
  expect(createConversation().ask('?')).toEqual([{ role: 'user', content: '?' }])
})

it('keeps a limited number of prompts, the newest', () => {
  const conversation = createConversation()
  for (let index = 0; index < 600; index += 1) conversation.keep(`prompt ${index}`, 'answer')
  const asked = conversation.ask('?')
  expect([asked.length, asked[0]]).toEqual([1001, { role: 'user', content: 'prompt 100' }])
})
