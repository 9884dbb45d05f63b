import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { createAgent, createMiddleware } from 'langchain'
import { describe, expect, it } from 'vitest'
import type { ConversationOptions } from '../src/adapters/filter-value.ts'
import { piiModelCall } from '../src/adapters/langchain.ts'
import { createDetector } from '../src/detectors.ts'

/** Runs an agent. Returns its last message, and all that the model was sent. */
async function ask(text: string, options: ConversationOptions = {}) {
  const sent: BaseMessage[][] = []
  class Recorder extends FakeListChatModel {
    override async _generate(...args: Parameters<FakeListChatModel['_generate']>) {
      sent.push(args[0])
      return super._generate(...args)
    }
    // the class would go on with a model of its own
    override bindTools() {
      return this.withConfig({})
    }
  }
  const agent = createAgent({
    model: new Recorder({ responses: ['I write to [REDACTED:EMAIL_001].'] }),
    systemPrompt: 'The user is ada@lab.example.',
    middleware: [createMiddleware({ name: 'pii', wrapModelCall: piiModelCall(options) })],
  })
  const earlier = new AIMessage({
    content: [{ type: 'text', text: 'From 10.1.2.3' }],
    tool_calls: [{ id: 'call-0', name: 'find', args: { card: '4111 1111 1111 1111' } }],
  })
  const { messages } = await agent.invoke({ messages: [earlier, { role: 'user', content: text }] })
  return { reply: messages.at(-1), sent }
}

describe('the wrapper of model calls of LangChain', () => {
  it('hides values from the model, in every message, and gives them back to the agent', async () => {
    const { reply, sent } = await ask('Write to ada@lab.example')
    expect(reply).toBeInstanceOf(AIMessage)
    expect(reply?.content).toBe('I write to ada@lab.example.')
    expect(sent[0]).toHaveLength(3)
    // with the fields that a message keeps for its records
    expect(JSON.stringify(sent.flat().map((message) => [{ ...message }, message]))).not.toMatch(/@lab|10\.1\.2|4111/)
    expect(sent[0]?.map((message) => message.getType())).toEqual(['system', 'ai', 'human'])
  })

  it('gives values back beside a structured response, and in the JSON of calls', async () => {
    const token = '[REDACTED:PASSWORD_ASSIGNMENT_001]'
    const value = 'q7"Kd2Wm9Rx4Tz1'
    const call = { id: 'c', type: 'function' as const, function: { name: 'set', arguments: `{"to":"${token}"}` } }
    const message = new AIMessage({ content: token, additional_kwargs: { tool_calls: [call] } })
    const reply = await piiModelCall()({ messages: [new HumanMessage(`password: '${value}'`)] }, async () => {
      return { structuredResponse: { to: token }, messages: [message] }
    })
    expect(reply.structuredResponse).toEqual({ to: value })
    expect(reply.messages[0]).toBeInstanceOf(AIMessage)
    expect(reply.messages[0]?.content).toBe(value)
    const text = reply.messages[0]?.additional_kwargs.tool_calls?.[0]?.function.arguments ?? ''
    expect(JSON.parse(text)).toEqual({ to: value })
  })

  it('reads no artifact of a tool, which may hold anything', async () => {
    const artifact: { self?: unknown } = {}
    artifact.self = artifact
    const message = new ToolMessage({ content: 'ada@lab.example', tool_call_id: 'c', artifact })
    await piiModelCall()({ messages: [message] }, async ({ messages: [sent] }) => {
      expect(sent).toBeInstanceOf(ToolMessage)
      expect(sent).toMatchObject({ content: '[REDACTED:EMAIL_001]', artifact })
    })
    expect.assertions(2)
  })

  it('writes fixed masks on request', async () => {
    const { sent, reply } = await ask('Write to ada@lab.example', { reversible: false })
    expect(sent[0]?.at(-1)?.content).toBe('Write to [REDACTED:pattern:EMAIL]')
    expect(reply?.content).toBe('I write to [REDACTED:EMAIL_001].')
  })

  it('sends nothing when a policy refuses a message', async () => {
    const detectors = [createDetector({ name: 'p', settings: { builtins: ['email'], defaultAction: 'block' } })]
    await expect(ask('Mail ada@lab.example', { detectors })).rejects.toThrow('blocked by content policy')
  })
})
