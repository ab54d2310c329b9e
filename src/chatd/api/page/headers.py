"""What every file of the web page is sent with.

The page shows what models, tools and strangers have written. Should a script ever get into it all the same,
the policy keeps it from being run, and from sending anything to another host.
"""

from collections.abc import Collection, Mapping

POLICY: Mapping[str, str] = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    # Files that a person is about to send are shown from memory.
    "img-src": "'self' blob: data:",
    "media-src": "'self' blob:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}

# What a page may ask a browser for, and this one never does.
UNUSED_FEATURES = ("camera", "display-capture", "geolocation", "microphone", "payment", "serial", "usb")

_ALWAYS: Mapping[str, str] = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def page_headers(embed_origins: Collection[str] = ()) -> Mapping[str, str]:
    """`embed_origins` are those of pages of others that may show this one in a frame."""
    policy = {**POLICY, "frame-ancestors": " ".join(sorted(embed_origins)) or "'none'"}
    written = "; ".join(f"{name} {value}" for name, value in policy.items())
    # For browsers that do not know frame-ancestors. It cannot name others.
    framed = {} if embed_origins else {"X-Frame-Options": "DENY"}
    return {"Content-Security-Policy": written, **_ALWAYS, **framed}


# The name of such a file changes with its content.
FOR_EVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "no-cache"

# Where guests read a chat by a public link: found by no search engine, and kept by nobody.
GUEST_PAGE = "/s"
OF_GUESTS: Mapping[str, str] = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"}
