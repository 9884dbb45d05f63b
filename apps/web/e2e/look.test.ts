import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, openView, type View } from './harness.ts'
import { findHiddenStops, findUnstyled, findViolations } from './look.ts'

const SIZE = 'width:40px;height:40px'

describeInBrowser('what looks at pages', () => {
  let view: View
  // the tests fill an empty page themselves; nothing answers at the address
  beforeAll(async () => {
    view = await openView('http://127.0.0.1:1')
  })
  afterAll(() => view[Symbol.asyncDispose]())

  it('finds violations, and in another theme those of colours', async () => {
    await view.page.setContent(
      '<html lang="en"><title>x</title><main><p style="color:#ddd;background:#fff">pale</p><img src="data:,"></main>',
    )
    const rules = async (search: Parameters<typeof findViolations>[1]) =>
      (await findViolations(view.page, search)).map((line) => line.split(':')[0])
    expect(await rules({})).toEqual(['color-contrast', 'image-alt'])
    expect(await rules({ within: 'img' })).toEqual(['image-alt'])
    expect(await rules({ isOtherTheme: true })).toEqual(['color-contrast'])
  })

  it.each([
    ['nothing on a page without faults', '', []],
    ['a stop without a ring', `<button style="${SIZE};outline:none">bare</button>`, ['button. "bare" shows no ring']],
    [
      'a stop outside of the window',
      '<button style="position:absolute;left:-500px">far</button>',
      [expect.stringMatching(/"far" is outside/)],
    ],
    [
      'a stop in a hidden part',
      `<p aria-hidden="true"><button style="${SIZE}">ghost</button></p>`,
      ['button. "ghost" is in a hidden part'],
    ],
    [
      'a stop behind something',
      `<button style="${SIZE}">under</button><div style="position:fixed;inset:0;background:#fff"></div>`,
      [expect.stringMatching(/is covered/)],
    ],
  ])('finds %s, among more stops than are pressed at once', async (_, fault, found) => {
    const plain = Array.from({ length: 30 }, (__, at) => `<button style="${SIZE}">${at}</button>`).join('')
    await view.page.setContent(`<main>${plain}${fault}${plain}</main>`)
    const stops = await findHiddenStops(view.page, 'main')
    // an element that covers one stop covers them all
    expect(stops.slice(-1)).toEqual(found)
  })

  it('gives up on a page with too many stops', async () => {
    await view.page.setContent(`<main>${`<button style="${SIZE}">x</button>`.repeat(320)}</main>`)
    expect(await findHiddenStops(view.page)).toEqual(['more than 300 places that Tab stops at'])
  })

  it('finds classes that no sheet has a rule for', async () => {
    const style = '<style>@media (width > 1px) { .card_12ab > p { color: red } }</style>'
    await view.page.setContent(`${style}<main class="card_12ab row"><p class="lost_12ab">text</p></main>`)
    expect(await findUnstyled(view.page)).toEqual(['lost_12ab'])
    await view.page.setContent('<main class="row">text</main>')
    expect(await findUnstyled(view.page)).toEqual(['the page has no class of a module'])
  })
})
