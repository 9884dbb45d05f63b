import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import * as codeBlockStyles from '../ui/code-block.module.css'
import { useCopy } from '../ui/copy-button.tsx'
import { ScrollRegion } from '../ui/scroll-region.tsx'

/** Longer code stays without colours, so that the page does not halt. */
const MAX_COLOURED = 30_000

/** Code with its language, Copy and Wrap. Colours load when the code is complete. @param isOpen whether more will come */
export function CodeBox({
  text,
  language,
  isOpen,
}: {
  readonly text: string
  readonly language: string
  readonly isOpen: boolean
}) {
  const { t } = useTranslation()
  const [isWrapped, setWrapped] = useState(false)
  const coloured = useColours(text, language, isOpen)
  const elements = useMemo(() => coloured && toSpans(coloured), [coloured])
  const name = language === '' ? t('code.plain') : language
  return (
    <div className={codeBlockStyles.code}>
      <header>
        <span className="clip">{name}</span>
        <span className="push row">
          <Button kind="ghost" small icon="wrap" aria-pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
            {t('code.wrap')}
          </Button>
          <CopyCode text={text} />
        </span>
      </header>
      <ScrollRegion as="pre" className={isWrapped ? codeBlockStyles.wrapped : ''}>
        {elements ?? text}
      </ScrollRegion>
    </div>
  )
}

function CopyCode({ text }: { readonly text: string }) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy(text)
  return (
    <Button kind="ghost" small icon={isCopied ? 'check' : 'copy'} onClick={copy}>
      <span role="status">{isCopied ? t('copied') : t('copy')}</span>
    </Button>
  )
}

/** The code in colours; undefined while they load, and for languages without any. */
function useColours(text: string, language: string, isOpen: boolean): DocumentFragment | undefined {
  const [coloured, setColoured] = useState<{ readonly text: string; readonly fragment: DocumentFragment }>()
  useEffect(() => {
    if (isOpen || language === '' || text.length > MAX_COLOURED) return undefined
    let isWanted = true
    void import('../../lib/markdown/highlight.ts').then(async ({ highlight }) => {
      const fragment = await highlight(text, language)
      if (isWanted && fragment !== undefined) setColoured({ text, fragment })
    })
    return () => {
      isWanted = false
    }
  }, [text, language, isOpen])
  return coloured?.text === text ? coloured.fragment : undefined
}

function toSpans(parent: Node): ReactNode[] {
  return Array.from(parent.childNodes, (node, index) =>
    node instanceof Element ? (
      <span key={index} className={node.className}>
        {toSpans(node)}
      </span>
    ) : (
      node.textContent
    ),
  )
}
