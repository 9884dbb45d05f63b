import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** Widths that no page may be wider than: narrow phones and 400 % zoom, phones, tablets, small and large screens. */
export const WIDTHS = [320, 390, 768, 1280, 1440] as const

/** Resolves once the page has a title and a heading and has drawn the server's replies. */
export async function settle(page: Page, title: string): Promise<void> {
  const isDrawn = (wanted: string) =>
    document.title === wanted &&
    document.querySelector('h1') !== null &&
    document.querySelector('[data-shown]') === null
  await page.waitForFunction(isDrawn, `${title} - svc`).catch(async () => {
    const shown = await page.evaluate(() => `"${document.title}", ${document.body.innerText.slice(0, 300)}`)
    throw new Error(`${page.url()} does not become "${title}": ${shown}`)
  })
}

/** Gives the page a width and a theme, and waits until it is drawn so. */
export async function dress(page: Page, width: number, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize({ width, height: width < 640 ? 844 : 900 })
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
}

/** Whether the page is wider than its window, and the elements that stick out. */
export function findOverflow(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const wide = [...document.querySelectorAll('main *, header *, [data-trigger] *, [role="dialog"] *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`)
    return [`${scrollWidth} px in a window of ${clientWidth} px: ${wide.slice(0, 4).join(', ')}`]
  })
}

/** Overflow that stays: a popover follows a new size of the window some frames later. */
export async function findLastingOverflow(page: Page): Promise<readonly string[]> {
  for (let frame = 0; frame < FOLLOWING_FRAMES; frame += 1) {
    if ((await findOverflow(page)).length === 0) return []
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
  }
  return findOverflow(page)
}

/** Classes of modules on the page that no loaded style sheet has a rule for. */
export function findUnstyled(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    // the build names them so: the class, and four digits of its file
    const pattern = /(?<![\w-])[A-Za-z]\w*_[\da-f]{4}(?![\w-])/g
    const sheets = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules])
    const styled = new Set(sheets.flatMap(({ cssText }) => cssText.match(pattern) ?? []))
    const shown = [...document.querySelectorAll('[class]')].flatMap(({ classList }) => [...classList])
    const named = new Set(shown.filter((name) => name.replace(pattern, '') === ''))
    if (named.size === 0) return ['the page has no class of a module']
    return [...named].filter((name) => !styled.has(name))
  })
}

/** Frames in which a page may follow a new size. */
const FOLLOWING_FRAMES = 120

const findPart = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve
/** The short form of the script: every page that is looked at compiles it. */
const AXE = readFileSync(findPart('axe-core/axe.min.js'), 'utf8')

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** The rules that another theme can break. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Options of {@link findViolations}. */
interface ViolationSearch {
  /** A selector of the part to look at. @default the whole page */
  readonly within?: string
  /** Looks at colours only: the page was searched in another theme. @default false */
  readonly isOtherTheme?: boolean
}

/** Finds violations of rules A and AA of WCAG 2.0 to 2.2. */
export async function findViolations(page: Page, search: ViolationSearch = {}): Promise<readonly string[]> {
  const { within, isOtherTheme = false } = search
  const isThere = await page.evaluate(() => 'axe' in window)
  // the pages have no frames, so no second page is needed to put results together
  const builder = new AxeBuilder({ page, axeSource: isThere ? ';' : AXE })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
  const chosen = isOtherTheme ? builder.withRules(COLOUR_RULES) : builder.withTags(WCAG)
  const { violations } = await (within === undefined ? chosen : chosen.include(within)).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 5).map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
  )
}

/** Texts that are set in letters below a size. @param leastPx @default 12 */
export function findSmallText(page: Page, leastPx = 12): Promise<readonly string[]> {
  return page.evaluate((least) => {
    const found = new Map<Element, string>()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { parentElement: parent, textContent } = node
      if (parent === null || (textContent ?? '').trim() === '' || !parent.checkVisibility()) continue
      const size = Number.parseFloat(getComputedStyle(parent).fontSize)
      if (size < least) found.set(parent, `${size} px: ${parent.tagName.toLowerCase()} "${textContent?.slice(0, 40)}"`)
    }
    return [...found.values()].slice(0, 5)
  }, leastPx)
}

/** A page with more places than this would be useless. */
const MAX_STOPS = 300
/** Presses of Tab that are sent at once: waiting for each would take most of the time of a walk. */
const PRESSES = 20

/**
 * Goes through a page with Tab and returns the places where the focus cannot be seen: on something hidden, outside of
 * the window, behind something else, or without a ring.
 *
 * @param from a selector of where to begin, which gets the focus first @default the top of the page
 */
export async function findHiddenStops(page: Page, from = 'body'): Promise<readonly string[]> {
  await page.evaluate(watchStops, from)
  const session = await page.context().newCDPSession(page)
  const press = (type: 'rawKeyDown' | 'keyUp') =>
    session.send('Input.dispatchKeyEvent', { type, key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 })
  const seen: string[] = []
  for (let pressed = 0; pressed < MAX_STOPS && !seen.includes('end'); pressed += PRESSES) {
    // the browser takes keys in the order of their messages
    await Promise.all(Array.from({ length: PRESSES }, () => [press('rawKeyDown'), press('keyUp')]).flat())
    seen.push(...(await page.evaluate(takeStops)))
    // a key that the page did not see went to the browser around it
    if (seen.length < pressed + PRESSES) seen.push('end')
  }
  await session.detach()
  const end = seen.indexOf('end')
  const found = seen.slice(0, end === -1 ? undefined : end).filter((stop) => stop !== 'seen')
  return end === -1 ? [...found, `more than ${MAX_STOPS} places that Tab stops at`] : [...new Set(found)]
}

/** The object that {@link watchStops} leaves in a page. */
interface WatchedDocument extends Document {
  stops?: string[]
  stopWatching?: () => void
}

/** Runs in the page: takes the notes since the last time; the last one is `end` where the walk is over. */
function takeStops(): readonly string[] {
  const watched: WatchedDocument = document
  const stops = watched.stops?.splice(0) ?? []
  if (stops.includes('end')) watched.stopWatching?.()
  return stops
}

/**
 * Runs in the page: gives the focus to the start and notes after each press of Tab whether the element that has the
 * focus is seen. A note is `seen`, `end`, or a description of the fault.
 */
function watchStops(selector: string): void {
  const start = document.querySelector<HTMLElement>(selector) ?? document.body
  const isAdded = !start.hasAttribute('tabindex')
  if (isAdded) start.tabIndex = -1
  start.focus()
  scrollTo(0, 0)
  if (isAdded) start.removeAttribute('tabindex')

  const watched: WatchedDocument = document
  watched.stopWatching?.()
  const stops: string[] = []
  const walked = new Set<Element>()
  const note = () => stops.push(readStop())
  // the focus has moved and the page has scrolled by then
  addEventListener('keyup', note, true)
  Object.assign(watched, { stops, stopWatching: () => removeEventListener('keyup', note, true) })

  function readStop(): string {
    const element = document.activeElement as HTMLElement | null
    if (element === null || element === document.body || element === document.documentElement) return 'end'
    // Tab begins again at the top of the page after its end
    if (walked.has(element)) return 'end'
    walked.add(element)

    const words = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)
    const name = `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${words}"`
    if (element.closest('[inert], [aria-hidden="true"]') !== null) return `${name} is in a hidden part`
    if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
      return `${name} is not drawn`
    // a field that is drawn by its label is as large as the label
    const label = element instanceof HTMLInputElement ? (element.labels?.[0] ?? null) : null
    const own = element.getBoundingClientRect()
    const isBare = own.width * own.height < 64 || getComputedStyle(element).opacity === '0'
    const shown = isBare && label !== null ? label : element
    const { left, top, right, bottom, width, height } = shown.getBoundingClientRect()
    const seen = {
      left: Math.max(0, left),
      top: Math.max(0, top),
      right: Math.min(innerWidth, right),
      bottom: Math.min(innerHeight, bottom),
    }
    const isInView =
      seen.right - seen.left >= Math.min(width, 24) - 1 && seen.bottom - seen.top >= Math.min(height, 24) - 1
    if (width * height < 64 || !isInView) {
      return `${name} is outside: ${Math.round(left)},${Math.round(top)} ${Math.round(width)}x${Math.round(height)}`
    }
    const places = [0.5, 0.1, 0.9].flatMap((x) =>
      [0.5, 0.1, 0.9].map((y) => [seen.left + (seen.right - seen.left) * x, seen.top + (seen.bottom - seen.top) * y]),
    )
    const isUncovered = places.some(([x = 0, y = 0]) => {
      const hit = document.elementFromPoint(x, y)
      return hit !== null && (shown.contains(hit) || hit.contains(shown))
    })
    if (!isUncovered) return `${name} is covered`
    // a field may leave the ring to the box around it
    const box = element.parentElement
    const hasRing = [element, box, box?.parentElement, element.nextElementSibling, label].some((part) => {
      if (!part) return false
      const { outlineStyle, outlineWidth } = getComputedStyle(part)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
    })
    return hasRing ? 'seen' : `${name} shows no ring`
  }
}
