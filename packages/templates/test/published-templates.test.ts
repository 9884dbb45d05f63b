import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ChatTurn, createChatTemplate } from '../src/index.ts'

/*
 * Chat templates of model families belong to their makers and are not kept here. `SVC_CHAT_TEMPLATES` names a folder of
 * `.jinja` files, such as `models/templates` of a checkout of llama.cpp.
 */
const FOLDER = process.env.SVC_CHAT_TEMPLATES ?? ''
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith('.jinja')) : []

interface Sample {
  readonly messages: readonly ChatTurn[]
  readonly tools?: readonly unknown[]
  /** Words that the prompt must show exactly once. */
  readonly once: readonly string[]
  /** Words of calls, which declarations may show, too. */
  readonly calls?: readonly string[]
}

function declare(name: string, more: object = {}): unknown {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string', description: 'A city' } },
    required: ['city'],
  }
  return { type: 'function', function: { name, description: 'A tool', parameters, ...more } }
}

function say(role: string, content: string): ChatTurn {
  return { role, content }
}

function call(...calls: readonly (readonly [name: string, given: string, id: string])[]): ChatTurn {
  const written = calls.map(([name, given, id]) => ({
    index: 0,
    id,
    type: 'function',
    function: { name, arguments: given },
  }))
  return { role: 'assistant', content: '', tool_calls: written }
}

function answer(content: string, id: string): ChatTurn {
  return { role: 'tool', content, tool_call_id: id }
}

const [RULE, OTHER] = [say('system', 'rule1'), say('developer', 'rule2')]
const [ASK, MORE] = [say('user', 'ask1'), say('user', 'ask2')]
const [REPLY, NEXT] = [say('assistant', 'reply1'), say('assistant', 'reply2')]
const [WEATHER, TIME] = [declare('get_weather'), declare('get_time')]
const OSLO = ['get_weather', '{"town": "Oslo", "days": 3, "opt": {"wind": true}}', 'call_0123456789ab'] as const
const ROME = ['get_time', '{"zone": "Rome"}', 'toolu_01AbCdEfGhIjKlMn'] as const
const OSLO_WORDS = ['get_weather', 'town', 'Oslo', 'days', 'wind']

const SAMPLES: Readonly<Record<string, Sample>> = {
  plain: { messages: [ASK, REPLY, MORE], once: ['ask1', 'reply1', 'ask2'] },
  system: { messages: [RULE, ASK], once: ['rule1', 'ask1'] },
  'two system turns': { messages: [RULE, say('system', 'rule2'), ASK], once: ['rule1', 'rule2', 'ask1'] },
  'developer beside system': { messages: [RULE, OTHER, ASK], once: ['rule1', 'rule2', 'ask1'] },
  'instructions in the middle': {
    messages: [RULE, ASK, REPLY, OTHER, MORE],
    once: ['rule1', 'ask1', 'reply1', 'rule2', 'ask2'],
  },
  'instructions at the end': { messages: [ASK, RULE], once: ['ask1', 'rule1'] },
  'instructions alone': { messages: [RULE], once: ['rule1'] },
  'equal neighbours': {
    messages: [ASK, MORE, REPLY, NEXT, say('user', 'ask3')],
    once: ['ask1', 'ask2', 'reply1', 'reply2', 'ask3'],
  },
  'an answer first': { messages: [RULE, REPLY, ASK], once: ['rule1', 'reply1', 'ask1'] },
  'a call': {
    messages: [ASK, call(OSLO), answer('result1', OSLO[2])],
    tools: [WEATHER],
    once: ['ask1', 'result1'],
    calls: OSLO_WORDS,
  },
  'a call and more': {
    messages: [RULE, ASK, call(OSLO), answer('result1', OSLO[2]), REPLY, MORE],
    tools: [WEATHER, TIME],
    once: ['rule1', 'ask1', 'result1', 'reply1', 'ask2'],
  },
  'a call without tools': {
    messages: [ASK, call(OSLO), answer('result1', OSLO[2]), REPLY, MORE],
    once: ['ask1', 'result1', 'reply1', 'ask2'],
    calls: OSLO_WORDS,
  },
  'empty arguments': {
    messages: [ASK, call(['get_weather', '', 'x']), answer('result1', 'x')],
    tools: [WEATHER],
    once: ['ask1', 'result1'],
    calls: ['get_weather'],
  },
  'arguments that are not JSON': {
    messages: [ASK, call(['get_weather', '{"town": "Os', 'x']), answer('result1', 'x')],
    tools: [WEATHER],
    once: ['ask1', 'result1'],
    calls: ['get_weather', 'town'],
  },
  'parallel calls': {
    messages: [ASK, call(OSLO, ROME), answer('result2', ROME[2]), answer('result1', OSLO[2]), REPLY, MORE],
    tools: [WEATHER, TIME],
    once: ['ask1', 'result1', 'result2', 'reply1', 'ask2'],
    calls: [...OSLO_WORDS, 'get_time', 'zone', 'Rome'],
  },
  'calls in a row': {
    messages: [ASK, call(OSLO), answer('result1', OSLO[2]), call(ROME), answer('result2', ROME[2])],
    tools: [WEATHER, TIME],
    once: ['ask1', 'result1', 'result2'],
    calls: [...OSLO_WORDS, 'get_time', 'zone', 'Rome'],
  },
  'no ids': {
    messages: [ASK, call(['get_weather', '{"town": "Oslo"}', '']), answer('result1', '')],
    tools: [WEATHER],
    once: ['ask1', 'result1'],
    calls: ['get_weather', 'Oslo'],
  },
  'the user after a result': {
    messages: [ASK, call(OSLO), answer('result1', OSLO[2]), MORE],
    tools: [WEATHER],
    once: ['ask1', 'result1', 'ask2'],
    calls: OSLO_WORDS,
  },
  'tools without a description': {
    messages: [ASK],
    tools: [declare('get_weather', { description: undefined })],
    once: ['ask1'],
  },
  'tools without parameters': {
    messages: [ASK],
    tools: [declare('get_weather', { parameters: null })],
    once: ['ask1'],
  },
  'tools with odd schemas': {
    messages: [ASK],
    tools: [
      declare('get_weather', {
        parameters: {
          type: 'object',
          properties: { a: {}, b: true, c: { type: ['string', 'null'] }, d: { type: 'array' } },
        },
      }),
    ],
    once: ['ask1'],
  },
}

function count(text: string, word: string): number {
  return text.split(word).length - 1
}

describe.skipIf(FILES.length === 0)('published chat templates', () => {
  it.each(FILES)('%s shows every part of every conversation', (file) => {
    const source = readFileSync(join(FOLDER, file), 'utf8')
    const template = createChatTemplate({ source, bosToken: '<s>', eosToken: '</s>' })
    for (const [name, { messages, tools = null, once, calls = [] }] of Object.entries(SAMPLES)) {
      const prompt = template.render({ messages, tools })
      const declared = tools === null ? '' : template.render({ messages: [ASK], tools })
      const found = once.map((word) => [word, count(prompt, word)])
      expect([name, found]).toEqual([name, once.map((word) => [word, 1])])
      const lost = calls.filter((word) => count(prompt, word) <= count(declared, word))
      expect([name, lost]).toEqual([name, []])
    }
  })
})
