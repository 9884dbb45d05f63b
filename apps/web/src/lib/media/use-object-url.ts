import { useEffect, useState } from 'react'

/** An address of a file in this page. It ends with the component, or when another file takes its place. */
export function useObjectUrl(file: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (file === undefined) {
      setUrl(undefined)
      return undefined
    }
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
