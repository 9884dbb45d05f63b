import { describe, expect, it } from 'vitest'
import { formatGreeting, toReachableUrl, wantsColor } from './greeting.ts'

const facts = {
  url: 'http://localhost:8080',
  version: '1.2.3',
  model: 'demo',
  needsKey: false,
  hasInterface: true,
  color: false,
}

describe('the greeting', () => {
  it('names the address to open, the model and how to add one', () => {
    expect(formatGreeting(facts)).toBe(`
  svc 1.2.3
  Open         http://localhost:8080
  Model        demo
  Add a model  svc models add FILE

`)
  })

  it('names the API page where there is no interface, and no second address anywhere', () => {
    const text = formatGreeting({ ...facts, hasInterface: false })
    expect(text).toContain('API          http://localhost:8080/swagger/index.html\n')
    for (const shown of [text, formatGreeting(facts)]) expect(shown.match(/http:/g)).toHaveLength(1)
  })

  it('says that no model answers, and that programs need a key', () => {
    const text = formatGreeting({ ...facts, model: undefined, needsKey: true, hasInterface: false })
    expect(text).toContain('Model        none answers a chat yet\n')
    expect(text).toContain('Key          every request needs one')
  })

  it('has colours only where they are wanted', () => {
    const colored = formatGreeting({ ...facts, color: true })
    expect(colored).toContain('\u001b[36mhttp://localhost:8080\u001b[39m')
    expect(formatGreeting(facts)).not.toContain('\u001b')
    expect([
      wantsColor({}),
      wantsColor({ NO_COLOR: '' }),
      wantsColor({ NO_COLOR: '1' }),
      wantsColor({ TERM: 'dumb' }),
    ]).toEqual([true, true, false, false])
  })

  it.each([
    ['http://0.0.0.0:8080', 'http://localhost:8080'],
    ['http://[::]:8080', 'http://localhost:8080'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['https://host.example/svc/', 'https://host.example/svc'],
  ])('shows %s as %s', (url, shown) => {
    expect(toReachableUrl(url)).toBe(shown)
  })
})
