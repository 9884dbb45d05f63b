import { describe, expect, it } from 'vitest'
import { type Demands, NO_DEMANDS } from './demands.ts'
import { fitTurns } from './fit-turns.ts'

/** A conversation in short: `s` system, `u` user, `a` assistant, `c` assistant with a call, `t` result. */
function toTurns(script: string): { role: string; content: string; tool_calls?: unknown[] }[] {
  const roles: Record<string, string> = { s: 'system', u: 'user', a: 'assistant', c: 'assistant', t: 'tool' }
  return script.split(' ').map((word) => ({
    role: roles[word[0] ?? ''] ?? '',
    content: word,
    ...(word.startsWith('c') && { tool_calls: [{}] }),
  }))
}

function fit(script: string, demands: Partial<Demands>): string {
  return fitTurns(toTurns(script), { ...NO_DEMANDS, ...demands })
    .map(({ role, content }) => `${role[0]}:${(content ?? '').replaceAll('\n\n', '+')}`)
    .join(' ')
}

const FIRST_ONLY = { head: 'one', later: 'user' } as const
const NONE = { head: 'none', later: 'user' } as const
const STRICT = { ...NONE, joinsUsers: true, joinsAssistants: true, needsUserFirst: true } as const

describe('turns', () => {
  it.each<[string, Partial<Demands>, string, string]>([
    ['stay without demands', {}, 's1 s2 u1 u2 a1 a2 s3 u3', 's:s1 s:s2 u:u1 u:u2 a:a1 a:a2 s:s3 u:u3'],
    ['join a leading run', FIRST_ONLY, 's1 s2 s3 u1', 's:s1+s2+s3 u:u1'],
    ['put a later one at the head of the next user turn', FIRST_ONLY, 's1 u1 a1 s2 u2', 's:s1 u:u1 a:a1 u:s2+u2'],
    ['put the last one behind the user turn before it', FIRST_ONLY, 'u1 s1', 'u:u1+s1'],
    ['join several later ones', FIRST_ONLY, 'u1 a1 s1 s2 u2', 'u:u1 a:a1 u:s1+s2+u2'],
    ['make a user turn of one between answers', FIRST_ONLY, 'u1 a1 s1 a2', 'u:u1 a:a1 u:s1 a:a2'],
    ['put nothing between a call and its result', FIRST_ONLY, 'u1 c1 s1 t1 a1', 'u:u1 a:c1 t:t1 u:s1 a:a1'],
    ['put the head into the first user turn', NONE, 's1 s2 u1 a1 u2', 'u:s1+s2+u1 a:a1 u:u2'],
    ['put the head into a user turn behind an answer', NONE, 's1 a1 u1', 'a:a1 u:s1+u1'],
    ['make a user turn of the head', NONE, 's1', 'u:s1'],
    ['make a user turn of the head where one is needed', { needsUser: true }, 's1', 'u:s1'],
    ['keep the head beside a user turn', { needsUser: true }, 's1 u1', 's:s1 u:u1'],
    ['put all system turns at the head', { head: 'one', later: 'head' }, 's1 u1 a1 s2 u2', 's:s1+s2 u:u1 a:a1 u:u2'],
    ['join equal neighbours', STRICT, 'u1 u2 a1 a2 u3', 'u:u1+u2 a:a1+a2 u:u3'],
    ['join an answer with the calls behind it', STRICT, 'u1 a1 c1 t1 a2', 'u:u1 a:a1+c1 t:t1 a:a2'],
    ['do not join calls', STRICT, 'u1 c1 c2 t1', 'u:u1 a:c1 a:c2 t:t1'],
    ['begin with a user turn', STRICT, 'a1 u1', 'u: a:a1 u:u1'],
    [
      'begin with a user turn behind the head',
      { ...FIRST_ONLY, needsUserFirst: true },
      's1 a1 u1',
      's:s1 u: a:a1 u:u1',
    ],
    ['answer before the user goes on', { userAfterResult: 'answered' }, 'u1 c1 t1 u2', 'u:u1 a:c1 t:t1 a: u:u2'],
    ['join the user with the result', { userAfterResult: 'joined' }, 'u1 c1 t1 u2', 'u:u1 a:c1 t:t1+u2'],
  ])('%s', (_name, demands, script, expected) => {
    expect(fit(script, demands)).toBe(expected)
  })

  it('keep calls, thoughts and an absent content when they are joined', () => {
    const calls = [{ id: '1' }]
    const turns = [
      { role: 'assistant', content: '', reasoning_content: 'first' },
      { role: 'assistant', content: null, reasoning_content: 'second', tool_calls: calls },
    ]
    expect(fitTurns(turns, { ...NO_DEMANDS, joinsAssistants: true })).toEqual([
      { role: 'assistant', content: null, reasoning_content: 'first\n\nsecond', tool_calls: calls },
    ])
  })
})
