import { describe, expect, it } from 'vitest'
import { formatGreeting, toReachableUrl, wantsColor } from './greeting.ts'

const facts = { url: 'http://localhost:8080', version: '1.2.3', model: 'demo', needsKey: false, color: false }

describe('the greeting', () => {
  it('names address, model, API page and how to add a model', () => {
    expect(formatGreeting(facts)).toBe(`
  svc 1.2.3
  Address      http://localhost:8080
  Model        demo
  API          http://localhost:8080/swagger/index.html
  Add a model  svc models add FILE

`)
  })

  it('says that no model answers, and that a key is needed', () => {
    const text = formatGreeting({ ...facts, model: undefined, needsKey: true })
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
