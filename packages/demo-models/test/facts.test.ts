import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const training = new URL('../training/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, training), 'utf8')

const facts = JSON.parse(read('facts.json')) as Record<string, string>
const topics = `${read('data/help.topics')}${read('data/small-talk.topics')}`
const answers = topics.split('\n').filter((line) => line.startsWith('= '))
const used = [...`${topics}${read('svc_demo/off_topic.py')}`.matchAll(/\{([a-z0-9]+\.[a-z0-9-]+)\}/g)].map(
  ([, key]) => key,
)

describe('the facts of the answers', () => {
  test('are all in facts.json, without unused entries', () => {
    expect([...new Set(used)].sort()).toEqual(Object.keys(facts).sort())
  })

  test('stand nowhere else: no answer spells a flag, variable or route by itself', () => {
    const spelled = answers.filter((answer) => /--[a-z]|SVC_|\b(GET|POST|PUT|DELETE) \/|\/(v1|api)\b/.test(answer))
    expect(spelled).toEqual([])
  })

  test('name flags, variables and defaults as the table of settings does', () => {
    const settings = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
    // a name is in code marks, by itself or before the word for its value
    const findRow = (name = ''): string | undefined =>
      settings.split('\n').find((line) => new RegExp(`[\`,] ?${name}[\`, ]`).test(line))
    const stated = Object.entries(facts).filter(([key]) => /^(?:flag|env)\./.test(key))
    expect(stated.length).toBeGreaterThan(20)
    expect(stated.filter(([, value]) => findRow(value) === undefined)).toEqual([])
    for (const [name, value] of [
      ['flag.address', 'address.default'],
      ['flag.log-level', 'default.log-level'],
      ['flag.max-concurrent-backend-requests', 'default.max-concurrent'],
      ['flag.model-load-failure-cooldown', 'default.cooldown'],
      ['flag.upload-limit', 'default.upload-limit-mb'],
    ] as const) {
      expect(findRow(facts[name])).toContain(`\`${facts[value]}\``)
    }
  })

  test('are wrapped up in answers of two sentences at most', () => {
    const long = answers.filter((answer) => answer.split(/[.!?](?= [A-Z])/).length > 2)
    expect(long).toEqual([])
  })
})
