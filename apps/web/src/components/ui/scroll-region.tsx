import type { ComponentProps, JSX } from 'react'

type Tag = 'section' | 'div' | 'p' | 'pre' | 'span' | 'ul'

/** An area that scrolls by itself. A stop of the Tab key, so that the arrow keys scroll it. @param as its element @default section */
export function ScrollRegion<Name extends Tag = 'section'>({
  as,
  ...rest
}: { readonly as?: Name } & ComponentProps<Name>) {
  // one name is used for all elements, so that the element and its properties are checked together
  const Element = (as ?? 'section') as 'section'
  return <Element tabIndex={0} {...(rest as JSX.IntrinsicElements['section'])} />
}
