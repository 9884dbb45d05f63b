import DOMPurify from 'dompurify'
import temml from 'temml'

/** Longer formulas stay text, so that the page does not halt. */
const MAX_LENGTH = 10_000
/** A formula may call macros, and so grow without end. */
const MAX_EXPANSIONS = 1000
/** Widths and heights that a formula may ask for, in em. */
const MAX_SIZE: [number, number] = [50, 50]

const purifier = DOMPurify()

// only colours and lengths: nothing that loads, and nothing that leaves its place
purifier.addHook('uponSanitizeAttribute', (_node, attribute) => {
  if (attribute.attrName === 'style' && /url|position|image|[\\@"']/i.test(attribute.attrValue))
    attribute.keepAttr = false
})

/**
 * Turns a formula with its marks (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`) into MathML.
 *
 * @returns undefined for a formula that cannot be read; the text is then shown as it is
 */
export function renderMaths(text: string, isDisplay: boolean): DocumentFragment | undefined {
  const markLength = /^(?:\$\$|\\)/.test(text) ? 2 : 1
  const formula = text.slice(markLength, -markLength)
  if (formula.length > MAX_LENGTH) return undefined
  try {
    const mathml = temml.renderToString(formula, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      maxExpand: MAX_EXPANSIONS,
      maxSize: MAX_SIZE,
    })
    return purifier.sanitize(mathml, {
      USE_PROFILES: { mathMl: true },
      ADD_ATTR: ['class', 'style', 'form', 'maxsize'],
      FORBID_ATTR: ['href', 'xlink:href', 'src', 'id'],
      RETURN_DOM_FRAGMENT: true,
    })
  } catch {
    return undefined
  }
}
