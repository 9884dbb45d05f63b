import type { Links } from 'marked'
import { memo, useMemo, useRef } from 'react'
import { BlockSplitter, normalizeBreaks } from '../../lib/markdown/blocks.ts'
import { renderBlock } from '../../lib/markdown/render-block.ts'
import * as styles from './markdown.module.css'
import { toElements } from './to-elements.tsx'

/**
 * Shows markdown of a model or a gallery, sanitised. Pictures of other hosts are never fetched.
 *
 * @param isGrowing whether more text will come; only the blocks at the end are read again then
 */
export function Markdown({ text, isGrowing = false }: { readonly text: string; readonly isGrowing?: boolean }) {
  const splitter = useRef<BlockSplitter>(null)
  // a finished text is read as a whole, so that late link definitions reach all of it
  if (splitter.current === null || !isGrowing) splitter.current = new BlockSplitter()
  const split = splitter.current
  const { blocks, links } = useMemo(() => split.update(normalizeBreaks(text)), [split, text])
  const defined = JSON.stringify(links)
  return (
    <div className={styles.markdown}>
      {blocks.map((block, index) => (
        <Block
          key={index}
          block={block}
          links={block.includes('[') ? defined : '{}'}
          isOpen={isGrowing && index === blocks.length - 1}
        />
      ))}
    </div>
  )
}

/** One block; it is read again only when its own text changes. */
const Block = memo(function Block({
  block,
  links,
  isOpen,
}: {
  readonly block: string
  readonly links: string
  readonly isOpen: boolean
}) {
  const fragment = useMemo(() => renderBlock(block, JSON.parse(links) as Links), [block, links])
  return <>{toElements(fragment, isOpen)}</>
})
