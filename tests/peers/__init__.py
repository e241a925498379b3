"""What others wrote and we are measured against or talk to: installed on demand under the ignored folder `.cache`.

`python` has the libraries for Python in an environment of their own, `node` whatever comes from npm. Names and versions
only: where they come from is the business of pip and npm.
"""
