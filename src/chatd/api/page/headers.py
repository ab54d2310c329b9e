"""What every file of the web page is sent with.

The page shows what models, tools and strangers have written. Should a script ever get into it all the same,
the policy keeps it from being run, and from sending anything to another host.
"""

from collections.abc import Mapping

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
    "frame-ancestors": "'none'",
}

# What a page may ask a browser for, and this one never does.
UNUSED_FEATURES = ("camera", "display-capture", "geolocation", "microphone", "payment", "serial", "usb")

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    # For browsers that do not know frame-ancestors.
    "X-Frame-Options": "DENY",
}

# The name of such a file changes with its content.
FOR_EVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "no-cache"
