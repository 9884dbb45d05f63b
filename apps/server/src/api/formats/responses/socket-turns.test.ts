import type { ResponseResource } from '@svc/wire/responses'
import { describe, expect, it } from 'vitest'
import type { StoredResponse } from '../../../responses/stored-response.ts'
import { newResource } from './resource.ts'
import { createSocketTurns } from './socket-turns.ts'

function turn(id: string, fields: Partial<ResponseResource> = {}): StoredResponse {
  const resource = newResource({ input: id }, { id, model: 'm', created: 0, store: false })
  const input = [{ type: 'message' as const, role: 'user' as const, id: `msg_${id}`, content: id }]
  return { resource: { ...resource, status: 'completed', ...fields }, input, streamed: true }
}

describe('the conversation of a socket', () => {
  it('is kept from its first response that is stored nowhere on', () => {
    const turns = createSocketTurns()
    turns.keep(turn('stored', { store: true }), 10)
    turns.keep(turn('a', { previous_response_id: 'stored' }), 10)
    turns.keep(turn('b', { previous_response_id: 'a', store: true }), 10)
    expect(['stored', 'a', 'b'].map((id) => turns.get(id)?.resource.id)).toEqual([undefined, 'a', 'b'])
    expect(turns.findItem('msg_a')).toMatchObject({ content: 'a' })
    expect(turns.findItem('msg_stored')).toBeUndefined()
  })

  it('ends where another one begins', () => {
    const turns = createSocketTurns()
    turns.keep(turn('a'), 10)
    turns.keep(turn('b', { store: true }), 10)
    expect([turns.get('a'), turns.get('b')]).toEqual([undefined, undefined])
  })

  it.each(['failed', 'cancelled'] as const)('has no response that %s, and goes on before it', (status) => {
    const turns = createSocketTurns()
    turns.keep(turn('a'), 10)
    turns.keep(turn('b', { previous_response_id: 'a', status }), 10)
    expect([turns.get('a')?.resource.id, turns.get('b')]).toEqual(['a', undefined])
  })

  it('is forgotten when it is too large or too long', () => {
    const large = createSocketTurns()
    large.keep(turn('a'), 9 * 1024 * 1024)
    large.keep(turn('b', { previous_response_id: 'a' }), 9 * 1024 * 1024)
    expect([large.get('a'), large.get('b')]).toEqual([undefined, undefined])
    const long = createSocketTurns()
    for (let count = 0; count <= 1024; count += 1) {
      long.keep(turn(`${count}`, { previous_response_id: count === 0 ? null : `${count - 1}` }), 1)
      expect(long.get(`${count}`) === undefined).toBe(count === 1024)
    }
  })
})
