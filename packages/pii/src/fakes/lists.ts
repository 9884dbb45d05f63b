/** First names of invented people. */
export const FIRST_NAMES = words(`
  Alwin Amaris Arne Belinda Benno Bettina Brisa Caspar Celia Clemens Corinna Dario Delia Doria Edgar Elwira
  Emeric Enya Fabio Fenna Florian Gesine Gordon Gwen Hanno Hedda Ilona Imre Ivo Jarek Jolanda Jorin
  Kalle Katrin Kira Lasse Leonie Linus Lorena Lucan Maike Malin Marius Mirela Nadja Nils Norina Odile
  Orlan Oskar Petra Quirin Ramona Renke Rosina Ruben Selma Silvan Sunniva Tamino Theda Tilda Viola Yorick`)

/** Last names of invented people; none begins another. */
export const LAST_NAMES = words(`
  Abelmoor Ashdene Barkwell Birkland Bramhult Calloway Carvel Corbray Dahlwig Denholt Drosselin Eckart Ellwood Elmstad
  Fairmoor Fenwarden Fjordal Garrick Glenmore Grauwerth Hallstrom Harnow Hazelton Holmquist Ibelin Isleworth Jansdorf
  Kelwick Kestrel Kirsten Lambrecht Larkmoor Lindqvist Lowmark Marlow Merrivale Mossbach Nettwig Norrland Oakhurst Orlmont
  Pellworth Pendrick Quarles Quillon Ravensby Redfern Rosenfels Sandoval Selbourne Stellmark Talbrook Thornby Tillmann
  Ulverton Umbriel Valmont Vesterby Wakelin Wendmoor Westerlin Yarrow Yoxford Zellwig`)

/** First and second parts of invented places. */
export const PLACE_STARTS = words(`
  Ald Ambel Arden Bar Birk Bren Cald Cran Dorn Dun Eber Elm Falk Farn Gar Glen Hal Hasel Ing Jor Kald Kes Lang Lind
  Mar Mell Nar Nord Ober Orm Pen Quell Rav Rosen Sal Silber Tann Thorn Ulm Vel Wald Wester Yar Zell`)

export const PLACE_ENDS = words('beck bridge bury combe dale field ford gate ham haven holm mere mond moor port stead')

/** Parts of invented organisations. */
export const TRADES = words(
  'Freight Foods Optics Textiles Logistics Instruments Partners Works Trading Press Labs Mills',
)

export const LEGAL_FORMS = ['Ltd', 'GmbH', 'Inc', 'Group']

/** Parts of invented streets. */
export const STREET_NAMES = words(`
  Alder Amber Aspen Beacon Birch Bramble Cedar Chapel Clover Copper Crescent Dove Elder Falcon Fern Garnet
  Hawthorn Heather Hickory Ivy Juniper Kestrel Larch Laurel Linden Maple Meadow Mulberry Orchard Poplar Quarry Willow`)

export const STREET_KINDS = ['Lane', 'Road', 'Row', 'Street']

/** Area codes beside numbers that are kept for stories: 555-0100 to 555-0199. */
export const AREA_CODES = words(
  '202 206 212 213 214 215 216 303 305 312 313 404 415 416 503 504 512 514 602 604 612 613 614 617',
)

/** Networks that are kept for documentation. */
export const NETWORKS = ['192.0.2', '198.51.100', '203.0.113']

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
