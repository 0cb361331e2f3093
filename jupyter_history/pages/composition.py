"""Canonical composition (NFC) as of Unicode 14, the same under every later Unicode.

Unicode promises that the composition of assigned characters never changes. What a later version assigns may take part
in new compositions, so only clusters of characters known to Unicode 14 are composed; all others stand as they are.
Made by scripts/make_composition.py.
"""

from __future__ import annotations

import re
import unicodedata

_STARTS = (
    "\u003c-\u003e\u0041-\u0050\u0052-\u005a\u0061-\u0070\u0072-\u007a\u00a8\u00c0-\u00cf\u00d1-\u00d6"
    "\u00d8-\u00dd\u00e0-\u00ef\u00f1-\u00f6\u00f8-\u00fd\u00ff-\u010f\u0112-\u0125\u0128-\u0130\u0134-\u0137"
    "\u0139-\u013e\u0143-\u0148\u014c-\u0151\u0154-\u0165\u0168-\u017f\u01a0-\u01a1\u01af-\u01b0\u01b7"
    "\u01cd-\u01dc\u01de-\u01e3\u01e6-\u01f0\u01f4-\u01f5\u01f8-\u021b\u021e-\u021f\u0226-\u0233\u0292"
    "\u0385-\u0386\u0388-\u038a\u038c\u038e-\u0391\u0395\u0397\u0399\u039f\u03a1\u03a5\u03a9-\u03b1\u03b5"
    "\u03b7\u03b9\u03bf\u03c1\u03c5\u03c9-\u03ce\u03d2-\u03d4\u0400-\u0401\u0403\u0406-\u0407\u040c-\u040e"
    "\u0410\u0413\u0415-\u041a\u041e\u0423\u0427\u042b\u042d\u0430\u0433\u0435-\u043a\u043e\u0443\u0447"
    "\u044b\u044d\u0450-\u0451\u0453\u0456-\u0457\u045c-\u045e\u0474-\u0477\u04c1-\u04c2\u04d0-\u04d3\u04d6-\u04df"
    "\u04e2-\u04f5\u04f8-\u04f9\u0622-\u0627\u0648\u064a\u06c0-\u06c2\u06d2-\u06d3\u06d5\u0928-\u0929\u0930-\u0931"
    "\u0933-\u0934\u09c7\u09cb-\u09cc\u0b47-\u0b48\u0b4b-\u0b4c\u0b92\u0b94\u0bc6-\u0bc7\u0bca-\u0bcc\u0c46"
    "\u0c48\u0cbf-\u0cc0\u0cc6-\u0cc8\u0cca-\u0ccb\u0d46-\u0d47\u0d4a-\u0d4c\u0dd9-\u0dda\u0ddc-\u0dde"
    "\u1025-\u1026\u1100-\u1112\u1b05-\u1b0e\u1b11-\u1b12\u1b3a-\u1b43\u1e00-\u1e99\u1e9b\u1ea0-\u1ef9"
    "\u1f00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f70\u1f72"
    "\u1f74\u1f76\u1f78\u1f7a\u1f7c\u1f80-\u1fb4\u1fb6-\u1fba\u1fbc\u1fbf\u1fc1-\u1fc4\u1fc6-\u1fc8\u1fca"
    "\u1fcc-\u1fd2\u1fd6-\u1fda\u1fdd-\u1fe2\u1fe4-\u1fea\u1fec-\u1fed\u1ff2-\u1ff4\u1ff6-\u1ff8\u1ffa"
    "\u1ffc\u1ffe\u2190\u2192\u2194\u219a-\u219b\u21ae\u21cd-\u21d0\u21d2\u21d4\u2203-\u2204\u2208-\u2209"
    "\u220b-\u220c\u2223-\u2226\u223c\u2241\u2243-\u2245\u2247-\u2249\u224d\u2260-\u2262\u2264-\u2265\u226d-\u227d"
    "\u2280-\u2289\u2291-\u2292\u22a2\u22a8-\u22a9\u22ab-\u22af\u22b2-\u22b5\u22e0-\u22e3\u22ea-\u22ed"
    "\u3046\u304b-\u3062\u3064-\u3069\u306f-\u307d\u3094\u309d-\u309e\u30a6\u30ab-\u30c2\u30c4-\u30c9\u30cf-\u30dd"
    "\u30ef-\u30f2\u30f4\u30f7-\u30fa\u30fd-\u30fe\uac00-\ud7a3\U00011099-\U0001109c\U000110a5\U000110ab"
    "\U0001112e-\U0001112f\U00011131-\U00011132\U00011347\U0001134b-\U0001134c\U000114b9\U000114bb-\U000114bc"
    "\U000114be\U000115b8-\U000115bb\U00011935\U00011938"
)
"""Characters that compose with what follows them, or are compositions."""
_FOLLOWS = (
    "\u0300-\u034e\u0350-\u036f\u0374\u037e\u0387\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5"
    "\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0898-\u089f"
    "\u08ca-\u08e1\u08e3-\u08ff\u093c\u094d\u0951-\u0954\u0958-\u095f\u09bc\u09be\u09cd\u09d7\u09dc-\u09dd"
    "\u09df\u09fe\u0a33\u0a36\u0a3c\u0a4d\u0a59-\u0a5b\u0a5e\u0abc\u0acd\u0b3c\u0b3e\u0b4d\u0b56-\u0b57"
    "\u0b5c-\u0b5d\u0bbe\u0bcd\u0bd7\u0c3c\u0c4d\u0c55-\u0c56\u0cbc\u0cc2\u0ccd\u0cd5-\u0cd6\u0d3b-\u0d3c"
    "\u0d3e\u0d4d\u0d57\u0dca\u0dcf\u0ddf\u0e38-\u0e3a\u0e48-\u0e4b\u0eb8-\u0eba\u0ec8-\u0ecb\u0f18-\u0f19"
    "\u0f35\u0f37\u0f39\u0f43\u0f4d\u0f52\u0f57\u0f5c\u0f69\u0f71-\u0f76\u0f78\u0f7a-\u0f7d\u0f80-\u0f84"
    "\u0f86-\u0f87\u0f93\u0f9d\u0fa2\u0fa7\u0fac\u0fb9\u0fc6\u102e\u1037\u1039-\u103a\u108d\u1161-\u1175"
    "\u11a8-\u11c2\u135d-\u135f\u1714-\u1715\u1734\u17d2\u17dd\u18a9\u1939-\u193b\u1a17-\u1a18\u1a60\u1a75-\u1a7c"
    "\u1a7f\u1ab0-\u1abd\u1abf-\u1ace\u1b34-\u1b35\u1b44\u1b6b-\u1b73\u1baa-\u1bab\u1be6\u1bf2-\u1bf3\u1c37"
    "\u1cd0-\u1cd2\u1cd4-\u1ce0\u1ce2-\u1ce8\u1ced\u1cf4\u1cf8-\u1cf9\u1dc0-\u1dff\u1f71\u1f73\u1f75\u1f77"
    "\u1f79\u1f7b\u1f7d\u1fbb\u1fbe\u1fc9\u1fcb\u1fd3\u1fdb\u1fe3\u1feb\u1fee-\u1fef\u1ff9\u1ffb\u1ffd"
    "\u2000-\u2001\u20d0-\u20dc\u20e1\u20e5-\u20f0\u2126\u212a-\u212b\u2329-\u232a\u2adc\u2cef-\u2cf1\u2d7f"
    "\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f\ua674-\ua67d\ua69e-\ua69f\ua6f0-\ua6f1\ua806\ua82c\ua8c4"
    "\ua8e0-\ua8f1\ua92b-\ua92d\ua953\ua9b3\ua9c0\uaab0\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaf6"
    "\uabed\uf900-\ufa0d\ufa10\ufa12\ufa15-\ufa1e\ufa20\ufa22\ufa25-\ufa26\ufa2a-\ufa6d\ufa70-\ufad9\ufb1d-\ufb1f"
    "\ufb2a-\ufb36\ufb38-\ufb3c\ufb3e\ufb40-\ufb41\ufb43-\ufb44\ufb46-\ufb4e\ufe20-\ufe2f\U000101fd\U000102e0"
    "\U00010376-\U0001037a\U00010a0d\U00010a0f\U00010a38-\U00010a3a\U00010a3f\U00010ae5-\U00010ae6\U00010d24-\U00010d27"
    "\U00010eab-\U00010eac\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011046\U00011070\U0001107f\U000110b9-\U000110ba"
    "\U00011100-\U00011102\U00011127\U00011133-\U00011134\U00011173\U000111c0\U000111ca\U00011235-\U00011236"
    "\U000112e9-\U000112ea\U0001133b-\U0001133c\U0001133e\U0001134d\U00011357\U00011366-\U0001136c\U00011370-\U00011374"
    "\U00011442\U00011446\U0001145e\U000114b0\U000114ba\U000114bd\U000114c2-\U000114c3\U000115af\U000115bf-\U000115c0"
    "\U0001163f\U000116b6-\U000116b7\U0001172b\U00011839-\U0001183a\U00011930\U0001193d-\U0001193e\U00011943"
    "\U000119e0\U00011a34\U00011a47\U00011a99\U00011c3f\U00011d42\U00011d44-\U00011d45\U00011d97\U00016af0-\U00016af4"
    "\U00016b30-\U00016b36\U00016ff0-\U00016ff1\U0001bc9e\U0001d15e-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182"
    "\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d1bb-\U0001d1c0\U0001d242-\U0001d244\U0001e000-\U0001e006"
    "\U0001e008-\U0001e018\U0001e01b-\U0001e021\U0001e023-\U0001e024\U0001e026-\U0001e02a\U0001e130-\U0001e136"
    "\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U0002f800-\U0002fa1d"
)
"""Marks, characters that compose with what stands before them, and those that composition replaces."""
_CLUSTER = re.compile(f"[{_STARTS}]?[{_FOLLOWS}]+")


def compose(text: str) -> str:
    """The text in NFC."""
    return _CLUSTER.sub(lambda match: unicodedata.normalize("NFC", match.group()), text)
