import { useEffect, useState } from 'react'
import { Skeleton } from './states.tsx'

/** A text in markdown. The part that reads markdown loads with the first one. */
export function Markdown({ text }: { readonly text: string }) {
  const [html, setHtml] = useState<string>()
  useEffect(() => {
    let isCurrent = true
    void import('../../lib/render-markdown.ts').then(({ renderMarkdown }) => {
      if (isCurrent) setHtml(renderMarkdown(text))
    })
    return () => {
      isCurrent = false
    }
  }, [text])
  if (html === undefined) return <Skeleton lines={4} />
  // `renderMarkdown` made the text safe
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}
