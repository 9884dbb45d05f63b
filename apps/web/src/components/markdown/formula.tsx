import { useCallback, useMemo } from 'react'
import { renderMaths } from '../../lib/markdown/render-maths.ts'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import * as styles from './markdown.module.css'
import 'temml/dist/Temml-Local.css'

/** A formula as MathML, which screen readers read; its text, where it cannot be read. @param text with its marks */
export function Formula({ text, isDisplay }: { readonly text: string; readonly isDisplay: boolean }) {
  const fragment = useMemo(() => renderMaths(text, isDisplay), [text, isDisplay])
  const fill = useCallback(
    (place: HTMLElement | null) => {
      if (fragment !== undefined) place?.replaceChildren(fragment.cloneNode(true))
    },
    [fragment],
  )
  if (fragment === undefined) return <>{text}</>
  return isDisplay ? (
    <ScrollRegion as="span" ref={fill} className={`${styles.wide} ${styles.maths}`} />
  ) : (
    <span ref={fill} />
  )
}
