import { createLocalPrincipal, type Principal } from '@svc/auth'
import { expect, it } from 'vitest'
import type { RequestContext } from '../inference/core/ports.ts'
import { createCallerTools } from './caller-tools.ts'
import { createOwnTools } from './own-tools.ts'
import { ALL_TOOLS } from './tools/all-tools.ts'

const signal = new AbortController().signal

function toContext(principal: Principal): RequestContext {
  return { principal, requestId: 'r', baseUrl: 'http://localhost/' } as RequestContext
}

function create({ isOn = true, mayWrite = true } = {}) {
  const asked: string[] = []
  const open = createOwnTools({
    isOn: () => isOn,
    openTools: async ({ principal }) =>
      createCallerTools({
        tools: ALL_TOOLS,
        mayWrite: () => mayWrite,
        clock: { sleep: async () => undefined },
        api: {
          isAdmin: principal.role === 'admin',
          allows: (route) => principal.role === 'admin' || route === 'GET /version',
          async request({ route }, { tool }) {
            asked.push(`${tool} ${route}`)
            return { status: 200, json: { version: '1' }, text: '', isCut: false }
          },
        },
      }),
  })
  return { open, asked }
}

const admin = createLocalPrincipal()
const user: Principal = { ...admin, kind: 'user', role: 'user', features: new Set(['assistant']) }

it('gives a chat the tools of its caller; those that change something ask first', async () => {
  const { open, asked } = create()
  const { tools } = await open({ context: toContext(admin), signal })
  const approvals = new Map(tools.map(({ name, approval }) => [name, approval]))
  expect([approvals.get('get_version'), approvals.get('delete_model')]).toEqual(['auto', 'ask'])
  for (const { name, approval, hints } of tools) {
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(approval, name).toBe(hints.readOnly === true ? 'auto' : 'ask')
  }
  const result = await tools.find(({ name }) => name === 'get_version')?.call({}, { signal })
  expect(result).toEqual({ content: [{ type: 'text', text: '{"version":"1"}' }], isError: false })
  expect(asked).toEqual(['get_version GET /version'])
})

it('gives others what they may use, and nothing once it is off', async () => {
  const { open } = create()
  const { tools } = await open({ context: toContext(user), signal })
  expect(tools.map(({ name }) => name)).toEqual(['get_version'])
  const without = { ...user, features: new Set<never>() }
  await expect(open({ context: toContext(without), signal })).rejects.toMatchObject({ kind: 'forbidden' })
  const off = create({ isOn: false })
  await expect(off.open({ context: toContext(admin), signal })).rejects.toMatchObject({ code: 'assistant_disabled' })
  const reading = await create({ mayWrite: false }).open({ context: toContext(admin), signal })
  expect(reading.tools.every(({ approval }) => approval === 'auto')).toBe(true)
})
