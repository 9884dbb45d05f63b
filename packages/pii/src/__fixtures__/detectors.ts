import type { Detector, JudgedDetection, ScanDocument } from '../detector.ts'

/** A detection with defaults for everything except its range. */
export function hit(start: number, end: number, rest: Partial<JudgedDetection> = {}): JudgedDetection {
  return { start, end, group: 'NAME', source: 'ner', score: 0.9, action: 'mask', ...rest }
}

/** A detector whose answer depends only on the document. */
export function toDetector(detect: (document: ScanDocument) => readonly JudgedDetection[], name = 'names'): Detector {
  return { name, detect: async (document) => detect(document) }
}

/** Finds every occurrence of a word. */
export function wordDetector(word: string, rest: Partial<JudgedDetection> = {}): Detector {
  return toDetector(({ text }) => {
    const hits: JudgedDetection[] = []
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      hits.push(hit(at, at + word.length, { group: word.toUpperCase(), ...rest }))
    }
    return hits
  }, `finds-${word}`)
}
